import type { ConfigOf } from '../destination-types.ts'
import { toExportRequest } from '../spans.ts'
import { type Exporter, JSON_TYPE } from './http-request.ts'

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
