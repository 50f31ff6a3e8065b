import { existsSync, readdirSync } from 'node:fs'
import type { UpstreamRequest } from '../gateway/upstream/transport.ts'
import type { MatchMode } from '../host/recording/exchange-library.ts'
import { createRecorder } from '../host/recording/recorder.ts'
import type { ReplayPace } from '../host/recording/replay-transport.ts'
import { createAgent, httpTransport } from '../host/upstream/http-transport.ts'
import { isObject } from '../text/json.ts'
import { trimSlashes } from '../text/trim-slashes.ts'
import type { WireName } from '../wires/contract.ts'
import { type RecordingPath, toFilePath } from './load-recordings.ts'
import { type MockRequest, openLoopbackServer, type ReceivedCall } from './loopback-server.ts'
import { type MockUpstream, mockUpstream } from './mock-upstream.ts'

/** `once`: records if there are no recordings yet. `replay`: never records, for continuous integration. */
export type RecordMode = 'once' | 'replay'

/** Options of `recordOnce`. */
export interface RecordOnceOptions {
  /** The base URL of the real upstream, such as `https://api.openai.com/v1`. Requests go there only to be recorded. */
  readonly upstream: string
  /** Default: `once`. */
  readonly mode?: RecordMode
  /** The protocol of the upstream. Default: by the path of each request. */
  readonly from?: WireName
  /** Masked wherever they occur, besides keys in headers and in the query. */
  readonly secrets?: readonly string[]
  /** As of `mockUpstream`. */
  readonly match?: MatchMode
  /** As of `mockUpstream`. */
  readonly pace?: ReplayPace
}

/** A server that plays recordings, or makes them. */
export interface RecordOnceUpstream extends MockUpstream {
  /** Whether requests go to the real upstream. */
  readonly isRecording: boolean
}

const PATHS: readonly (readonly [path: RegExp, wire: WireName])[] = [
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/responses(?:\/|$)/, 'openai-responses'],
  [/\/messages(?:\/|$)/, 'anthropic-messages'],
  [/:(?:stream)?generateContent$/i, 'gemini-generate'],
  [/\/converse(?:-stream)?$/, 'bedrock-converse'],
  [/\/v2\/chat$/, 'cohere-chat'],
  [/\/api\/chat$/, 'ollama-chat'],
]

/** Paths that request a stream. In other paths the body does. */
const STREAMS = /:streamGenerateContent$|\/converse-stream$/

const MODEL_IN_PATH = /\/models?\/([^/:]+)(?::\w+|\/[\w-]+)$/

/** Headers of the connection between client and this server, and the coding, which would hide the bytes. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** A recording may take as long as the slowest model. */
const TIMEOUTS = { connect_seconds: 30, first_byte_seconds: 600, idle_seconds: 600 } as Parameters<
  typeof createAgent
>[0]

function toUpstreamRequest(upstream: string, { method, path, headers, body, bytes }: ReceivedCall): UpstreamRequest {
  const own = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name))
  const [name = ''] = path.split('?', 1)
  const fields = isObject(body) ? body : {}
  const model = typeof fields.model === 'string' ? fields.model : (MODEL_IN_PATH.exec(name)?.[1] ?? '')
  return {
    ...(method === 'GET' ? { method } : {}),
    url: joined(upstream, path),
    headers: { ...Object.fromEntries(own), 'accept-encoding': 'identity' },
    body: bytes,
    model: decodeURIComponent(model),
    stream: fields.stream === true || STREAMS.test(name) || (fields.stream === undefined && name.endsWith('/api/chat')),
  }
}

/** A base URL may have a query of its own (`?api-version=`). */
function joined(upstream: string, path: string): URL {
  const url = new URL(upstream)
  const [name = '', query = ''] = path.split('?', 2)
  url.pathname = trimSlashes(url.pathname) + name
  for (const [parameter, value] of new URLSearchParams(query)) url.searchParams.append(parameter, value)
  return url
}

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0

/**
 * Starts a server that plays the recordings of a folder if it has any, and else passes each request to the real upstream
 * and records the exchange. Rejects with an Error if the mode is `replay` and there are no recordings.
 */
export async function recordOnce(folder: RecordingPath, options: RecordOnceOptions): Promise<RecordOnceUpstream> {
  const { upstream, mode = 'once', from, secrets = [], match, pace } = options
  const path = toFilePath(folder)
  if (!isEmpty(path)) {
    const how = { ...(match === undefined ? {} : { match }), ...(pace === undefined ? {} : { pace }) }
    return { ...(await mockUpstream({ recordings: path, ...how })), isRecording: false }
  }
  if (mode === 'replay') throw new Error(`"${path}" has no recordings. Run the test once with the mode "once".`)
  const agent = createAgent(TIMEOUTS)
  const failures: string[] = []
  const recorder = createRecorder({
    folder: path,
    secrets,
    onFailure: (exchange, reason) => void failures.push(`${exchange}: ${reason}`),
  })
  const vendor = new URL(upstream).hostname
  const requests: MockRequest[] = []
  const server = await openLoopbackServer(async (call, signal) => {
    const { bytes: _, ...request } = call
    requests.push(request)
    const [name = ''] = call.path.split('?', 1)
    const wire = from ?? PATHS.find(([pattern]) => pattern.test(name))?.[1] ?? null
    const owner = { vendor, wire, quirks: {}, baseUrl: upstream }
    const source = recorder.wrap(httpTransport(agent), owner)
    return { opened: await source(toUpstreamRequest(upstream, call), signal), faults: {} }
  })
  const close = async (): Promise<void> => {
    await server.close()
    // Exchanges that still run end now, and are recorded as cut.
    await agent.destroy()
    await recorder.close()
    const [failure] = failures
    if (failure !== undefined) throw new Error(`The recording failed: ${failure}`)
  }
  return {
    url: server.url,
    requests,
    isRecording: true,
    use: () => {
      throw new Error('The server records, and has no handlers. Add them when there are recordings.')
    },
    reset: () => void requests.splice(0),
    unplayed: () => [],
    close,
    [Symbol.asyncDispose]: close,
  }
}
