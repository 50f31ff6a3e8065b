import { PORTABLE_HASHES } from '../../src/fetch/portable-hashes.ts'
import { createGateway, type FetchGateway } from '../../src/fetch.ts'
import { Cancellation } from '../../src/gateway/cancellation.ts'
import { toConfig } from '../../src/gateway/config/parse-config.ts'
import { describeMount } from '../../src/host/page/describe.ts'
import { explainTargets, type ParsedQueryBody } from '../../src/host/page/explain-targets.ts'
import type { PageServer } from '../../src/page/server.ts'
import { clientError } from '../../src/protocol/error.ts'
import { ok } from '../../src/protocol/result.ts'
import { VERSION } from '../../src/protocol/version.ts'
import { toHex } from '../../src/text/bytes.ts'
import { parseBody } from '../../src/validation/body.ts'
import { listSiteRecordings, playRecording, readStream, type SiteRecording, UPSTREAM, vendorOf } from './recordings.ts'

/** The gateway has one client, which is this page. */
const KEY = 'the-key-of-this-page'
const CONFIG = {
  keys: [{ name: 'page', sha256: toHex(PORTABLE_HASHES.sha256(KEY)) }],
  model_lists: { ask: false },
}

const configOf = (recordings: readonly SiteRecording[]) => ({
  ...CONFIG,
  vendors: Object.fromEntries(
    recordings.map((recording) => {
      const name = vendorOf(recording)
      return [name, { wire: recording.wire, base_url: `${UPSTREAM}/${name}`, key: 'none', quirks: recording.quirks }]
    }),
  ),
})

/** The page's own prompt is the one that this recording answers. */
const FIRST = 'anthropic-messages/search'

/** Stands in for the server of the page: the gateway in the page, whose upstreams are the recordings of the site. */
export function createInPageServer(): PageServer {
  const recordings = listSiteRecordings()
  const gateway: Promise<FetchGateway> = recordings.then((list) =>
    createGateway(configOf(list), { fetch: (url, init) => playRecording(list, url, init) }),
  )
  // Each call reports the failure.
  gateway.catch(() => undefined)
  return {
    views: ['live', 'compare', 'explain'],
    keys: { current: () => KEY, onChange: () => () => undefined },
    async describe() {
      const list = await recordings
      const names = list.map((one) => `${vendorOf(one)}/${one.name}`)
      return {
        version: VERSION,
        models: [FIRST, ...names.filter((name) => name !== FIRST)],
        vendors: [...new Map(list.map((one) => [vendorOf(one), { name: vendorOf(one), wires: [one.wire] }])).values()],
        mounts: toConfig(CONFIG).mounts.map(describeMount),
        content: false,
      }
    },
    async fetch(path, init = {}) {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${KEY}`)
      return (await gateway).fetch(new Request(new URL(path, location.origin), { ...init, headers }))
    },
    fixtures: async () => (await recordings).map(({ wire, name }) => `${wire}/${name}`),
    async fixture(name) {
      const found = (await recordings).find((one) => `${one.wire}/${one.name}` === name)
      if (found === undefined) throw new Error(`There is no recording of the name ${name}.`)
      return readStream(found)
    },
    async *requests() {},
    explain(query, signal) {
      const cancellation = new Cancellation()
      signal.addEventListener('abort', () => cancellation.abort(CANCELLED))
      const previous = query.previous === undefined ? null : parsed(query.previous)
      return explainTargets(null, query, { body: parsed(query.body), previous }, cancellation)
    },
  }
}

const CANCELLED = clientError('client_disconnected', 'The request has changed.')

function parsed(text: string): ParsedQueryBody {
  const body = parseBody(text)
  return body.ok ? ok(body.body) : body
}
