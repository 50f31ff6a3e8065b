import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { UpstreamRequest } from '../gateway/upstream/transport.ts'
import { createLibrary, type MatchMode } from '../host/recording/exchange-library.ts'
import { readExchanges, type StoredExchange } from '../host/recording/read-exchange.ts'
import { createRecorder } from '../host/recording/recorder.ts'
import { playExchange, type ReplayPace } from '../host/recording/replay-transport.ts'
import { wireOfPath } from '../host/recording/wire-paths.ts'
import { createAgent, httpTransport } from '../host/upstream/http-transport.ts'
import { readProxies } from '../host/upstream/proxy-rules.ts'
import { isNonEmptyString, isObject, parseJson } from '../text/json.ts'
import { trimSlashes } from '../text/trim-slashes.ts'
import type { WireName } from '../wires/contract.ts'
import { checkTestOptions, MATCH_MODES, type OptionNames, PACES, WIRE_NAMES } from './check-test-options.ts'
import { type RecordingPath, toFilePath } from './load-recordings.ts'
import { type MockRequest, openLoopbackServer, type ReceivedCall } from './loopback-server.ts'
import { errorAnswer, openAnswer } from './mock-answer.ts'
import { type MockUpstream, mockUpstream, requestedModel } from './mock-upstream.ts'

/**
 * `once`: records if there are no recordings yet. `missing`: plays the recordings, and records each request that has
 * none with its body. `again`: removes the recordings and records all requests. `replay`: never records, for continuous
 * integration.
 */
export type RecordMode = 'once' | 'missing' | 'again' | 'replay'

export interface RecordOnceOptions {
  /** The base URL of the real upstream, such as `https://api.openai.com/v1`. Requests go there only to be recorded. */
  readonly upstream: string
  /** Default: `once`. */
  readonly mode?: RecordMode
  /** The protocol of the upstream. Default: by the path of each request. */
  readonly from?: WireName
  /** Masked wherever they occur, besides keys in headers and in the query. */
  readonly secrets?: readonly string[]
  /** As of `mockUpstream`; `missing` records instead of playing a recording with another body. */
  readonly match?: MatchMode
  /** As of `mockUpstream`. */
  readonly pace?: ReplayPace
}

/** A server that plays recordings, or makes them. */
export interface RecordOnceUpstream extends MockUpstream {
  /** Whether requests can go to the real upstream. */
  readonly isRecording: boolean
}

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

const METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const

const isMethod = (method: string): method is (typeof METHODS)[number] => METHODS.some((one) => one === method)

function toUpstreamRequest(upstream: string, { method, path, headers, body, bytes }: ReceivedCall): UpstreamRequest {
  const own = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name))
  const [name = ''] = path.split('?', 1)
  const fields = isObject(body) ? body : {}
  const model = typeof fields.model === 'string' ? fields.model : (MODEL_IN_PATH.exec(name)?.[1] ?? '')
  return {
    ...(isMethod(method) ? { method } : {}),
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

const OPTIONS = {
  upstream: null,
  mode: ['once', 'missing', 'again', 'replay'],
  from: WIRE_NAMES,
  secrets: null,
  match: MATCH_MODES,
  pace: PACES,
} as const satisfies Record<keyof RecordOnceOptions, OptionNames[string]>

function checkUpstream(upstream: unknown): void {
  const url = typeof upstream === 'string' && URL.canParse(upstream) ? new URL(upstream) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('upstream: expected a base URL, such as https://api.openai.com/v1')
  if (url.username !== '' || url.password !== '')
    throw new TypeError(
      'upstream: expected a URL without a user name and a password. Send them in headers of the client.',
    )
}

/** The recordings of a folder that need not exist. */
function recordingsIn(folder: string): readonly StoredExchange[] {
  if (!existsSync(folder)) return []
  const { exchanges, problems } = readExchanges(folder)
  const [problem] = problems
  if (problem !== undefined) throw new Error(problem)
  return exchanges
}

const remove = (root: string, name: string): void => rmSync(join(root, name), { recursive: true })

/**
 * Starts a server that plays the recordings of a folder if it has any, and else passes each request to the real upstream
 * and records the exchange. Rejects with an Error if the mode is `replay` and there are no recordings. `close` rejects
 * with an Error if an upstream could not be reached or refused the key: such an exchange is not kept, because all later
 * runs would fail with it.
 */
export async function recordOnce(folder: RecordingPath, options: RecordOnceOptions): Promise<RecordOnceUpstream> {
  checkTestOptions(options, OPTIONS)
  const { upstream, mode = 'once', match, pace } = options
  checkUpstream(upstream)
  const path = toFilePath(folder)
  const existing = recordingsIn(path)
  if (mode === 'again') for (const one of existing) remove(path, one.name)
  else if (existing.length > 0 && mode !== 'missing') {
    const how = { ...(match === undefined ? {} : { match }), ...(pace === undefined ? {} : { pace }) }
    return { ...(await mockUpstream({ recordings: path, ...how })), isRecording: false }
  }
  if (mode === 'replay') throw new Error(`"${path}" has no recordings. Run the test once with the mode "once".`)
  return openRecording(path, options, mode === 'missing' ? existing : [])
}

async function openRecording(
  path: string,
  { upstream, from, secrets = [], pace = 'fast' }: RecordOnceOptions,
  existing: readonly StoredExchange[],
): Promise<RecordOnceUpstream> {
  const agent = createAgent(TIMEOUTS, readProxies(process.env))
  const failures: string[] = []
  const recorder = createRecorder({
    folder: path,
    secrets,
    onFailure: (exchange, reason) => void failures.push(`${exchange}: ${reason}`),
  })
  const library = createLibrary(existing, 'exact')
  const vendor = new URL(upstream).hostname
  const requests: MockRequest[] = []
  const server = await openLoopbackServer(async (call, signal) => {
    const { bytes: _, ...request } = call
    requests.push(request)
    const found = library.find({ ...request, model: requestedModel(request), vendor: null })
    if (found.ok) return { opened: await playExchange(found.exchange, pace, signal), faults: {} }
    const wire = from ?? wireOfPath(call.path)
    const owner = { vendor, wire, quirks: {}, baseUrl: upstream }
    const source = recorder.wrap(httpTransport(agent), owner)
    const opened = await source(toUpstreamRequest(upstream, call), signal)
    if (opened.ok || signal.aborted) return { opened, faults: {} }
    const failed = errorAnswer({ ...opened.error, message: `${vendor} has not answered: ${opened.error.message}` })
    return { opened: await openAnswer(failed, pace, signal), faults: failed }
  })
  const close = async (): Promise<void> => {
    await server.close()
    // Exchanges that still run end now, and are recorded as cut.
    await agent.destroy()
    await recorder.close()
    const [failure] = failures
    if (failure !== undefined) throw new Error(`The recording failed: ${failure}`)
    await dropRefused(path, vendor, new Set(existing.map(({ name }) => name)))
  }
  return {
    url: server.url,
    requests,
    isRecording: true,
    use: () => {
      throw new Error('The server records, and has no handlers. Add them when there are recordings.')
    },
    reset: () => {
      requests.length = 0
      library.reset()
    },
    unplayed: () => library.unplayed(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const REFUSED: ReadonlySet<number | null> = new Set([401, 403])

/** The message of an error in the form of any vendor. */
async function refusalOf({ settings, body }: StoredExchange): Promise<string> {
  const { status, error } = settings
  if (status === null) return error?.message ?? ''
  const fields = parseJson(Buffer.from(await body()).toString())
  const own = isObject(fields) ? (isObject(fields.error) ? fields.error.message : fields.message) : null
  return `status ${status}${isNonEmptyString(own) ? `: ${own}` : '.'} Check the key of the client.`
}

/** Removes new exchanges that no test is meant to see. Throws an Error with the reason of the first. */
async function dropRefused(path: string, vendor: string, old: ReadonlySet<string>): Promise<void> {
  const { exchanges, unanswered } = readExchanges(path)
  for (const name of unanswered) remove(path, name)
  const refused = exchanges.filter(
    ({ name, settings: { status, end } }) =>
      !old.has(name) && (REFUSED.has(status) || (status === null && end === 'broken')),
  )
  const [first] = refused
  if (first === undefined) return
  const reason = await refusalOf(first)
  for (const { name } of refused) remove(path, name)
  const what = `${first.request?.method ?? 'POST'} ${first.request?.path.split('?', 1)[0] ?? ''}`
  throw new Error(`${what} was not answered by ${vendor}, and its recording is not kept: ${reason}`)
}
