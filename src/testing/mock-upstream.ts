import type { Cancellation } from '../gateway/cancellation.ts'
import { createLibrary, type MatchMode } from '../host/recording/exchange-library.ts'
import { playExchange, type ReplayPace } from '../host/recording/replay-transport.ts'
import { isObject } from '../text/json.ts'
import type { WireName } from '../wires/contract.ts'
import { checkTestOptions, MATCH_MODES, type OptionNames, PACES, WIRE_NAMES } from './check-test-options.ts'
import { loadRecordings, type RecordingPath } from './load-recordings.ts'
import { type FaultyAnswer, type MockRequest, openLoopbackServer, type ReceivedCall } from './loopback-server.ts'
import { type Faults, type MockAnswer, notFound, openAnswer } from './mock-answer.ts'

/** Answers a request, or returns undefined to leave it to the next handler and to the recordings. */
export type MockHandler = (request: MockRequest) => MockAnswer | undefined | Promise<MockAnswer | undefined>

export interface MockUpstreamOptions {
  /** Each is played once, and again for an equal request. Default: none. */
  readonly recordings?: RecordingPath | readonly RecordingPath[]
  /** Asked before the recordings, the first one first. Default: none. */
  readonly handlers?: readonly MockHandler[]
  /** `recorded`: with the delays of the recordings. Default: `fast`, without any. */
  readonly pace?: ReplayPace
  /**
   * Which requests a recording answers besides those with its own path, model and body. `order` (default): the next one
   * with its path and model. `exact`: no other.
   */
  readonly match?: MatchMode
  /** Failures of every answer. */
  readonly faults?: Faults
  /** The wire of recordings that are files without settings. Default: detected. */
  readonly from?: WireName
}

/** A server that behaves as an upstream. `await using` closes it at the end of its block. */
export interface MockUpstream extends AsyncDisposable {
  /** The base URL, with the path of the recorded ones: `http://127.0.0.1:51234`. Every path below it is answered. */
  readonly url: string
  /** All requests so far. */
  readonly requests: readonly MockRequest[]
  /** Adds handlers before all others, until `reset`. */
  use(...handlers: readonly MockHandler[]): void
  /** Removes the handlers of `use`, forgets the requests, and plays all recordings again. */
  reset(): void
  /** The names of the recordings that no request has played. */
  unplayed(): readonly string[]
  /** Closes the server and all of its connections. */
  close(): Promise<void>
}

/** A handler for requests whose path, without the query, ends with a text or matches a pattern. */
export const on =
  (path: string | RegExp, answer: MockAnswer | MockHandler): MockHandler =>
  (request) => {
    const [asked = ''] = request.path.split('?', 1)
    const matches = typeof path === 'string' ? asked.endsWith(path) : path.test(asked)
    if (!matches) return undefined
    return typeof answer === 'function' ? answer(request) : answer
  }

/** The same for the first such request only. */
export function once(path: string | RegExp, answer: MockAnswer | MockHandler): MockHandler {
  const handle = on(path, answer)
  let isUsed = false
  return async (request) => {
    const found = isUsed ? undefined : await handle(request)
    if (found === undefined || isUsed) return undefined
    isUsed = true
    return found
  }
}

const toList = (paths: MockUpstreamOptions['recordings'] = []): readonly RecordingPath[] =>
  typeof paths === 'string' || paths instanceof URL ? [paths] : paths

/** A model in the path is compared with the path. */
export const requestedModel = ({ body }: MockRequest): string | null =>
  isObject(body) && typeof body.model === 'string' ? body.model : null

const OPTIONS = {
  recordings: null,
  handlers: null,
  pace: PACES,
  match: MATCH_MODES,
  faults: null,
  from: WIRE_NAMES,
} as const satisfies Record<keyof MockUpstreamOptions, OptionNames[string]>

function checkHandlers(handlers: unknown): void {
  const wrong = Array.isArray(handlers) ? handlers.filter((one) => typeof one !== 'function') : [handlers]
  if (wrong.length === 0) return
  throw new TypeError(
    `handlers: expected functions in a list, such as [on('/models', {json: {}})], got ${typeof wrong[0]}`,
  )
}

/** Returns the first answer of a handler. */
async function askHandlers(handlers: readonly MockHandler[], request: MockRequest): Promise<MockAnswer | undefined> {
  for (const handler of handlers) {
    const answer = await handler(request)
    if (answer !== undefined) return answer
  }
  return undefined
}

/**
 * Starts an HTTP server on a free port of the loopback interface that plays recordings of any wire and answers with
 * handlers. A request without an answer receives status 404 and a message that names the nearest recording and the first
 * difference. Rejects with an Error that names a path without recordings.
 */
export async function mockUpstream(options: MockUpstreamOptions = {}): Promise<MockUpstream> {
  checkTestOptions(options, OPTIONS)
  const { recordings, handlers = [], pace = 'fast', match = 'order', faults = {}, from } = options
  checkHandlers(handlers)
  const library = createLibrary(
    toList(recordings).flatMap((path) => loadRecordings(path, from)),
    match,
  )
  const requests: MockRequest[] = []
  let added: readonly MockHandler[] = []

  const toAnswer = async (answer: MockAnswer, signal: Cancellation): Promise<FaultyAnswer> => ({
    opened: await openAnswer(answer, pace, signal),
    faults: { ...faults, ...answer },
  })

  const answer = async (call: ReceivedCall, signal: Cancellation): Promise<FaultyAnswer> => {
    const { bytes: _, ...request } = call
    requests.push(request)
    try {
      const own = await askHandlers([...added, ...handlers], request)
      if (own !== undefined) return await toAnswer(own, signal)
      const found = library.find({ ...request, model: requestedModel(request), vendor: null })
      if (!found.ok) return await toAnswer(notFound(found.message), signal)
      return { opened: await playExchange(found.exchange, pace, signal), faults }
    } catch (error) {
      // An error of a handler is shown where the test sees it: in the answer.
      const message = error instanceof Error ? error.message : String(error)
      return toAnswer({ ...notFound(`A handler failed: ${message}`), status: 500 }, signal)
    }
  }

  const server = await openLoopbackServer(answer)
  return {
    url: server.url,
    requests,
    use(...more) {
      checkHandlers(more)
      added = [...more, ...added]
    },
    reset() {
      added = []
      requests.length = 0
      library.reset()
    },
    unplayed: () => library.unplayed(),
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  }
}
