import { toExportRequest } from '../spans.ts'
import type { ConfigOf } from '../variants.ts'
import { type Exporter, JSON_TYPE } from './outgoing.ts'

/** Sends OTLP in its JSON form to any URL. */
export const webhook: Exporter<ConfigOf<'webhook'>> = (traces, { url, method }) => [
  {
    method: method === 'PUT' ? 'PUT' : 'POST',
    url,
    headers: JSON_TYPE,
    body: JSON.stringify(toExportRequest(traces)),
    traces: traces.length,
    signing: null,
  },
]
