import { FRAMINGS } from '../framing/table.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Attempt } from './attempt.ts'
import { openEventReply } from './event-reply.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { gather } from './gather.ts'
import type { Prepared } from './prepare.ts'
import { relay } from './relay.ts'
import { noteOutcome, sendJson } from './reply.ts'
import { byFirstBytes, isStream } from './sniff.ts'
import type { Answer, Reader } from './source.ts'
import { readWhole, wholeBody } from './whole.ts'

/** An upstream's own words about a failure are short; of a longer text the beginning must do. */
const LONGEST_ERROR = 1024 * 1024

/** Told null where the client has its answer, or the reason why nothing was sent to it. */
type Told = (error: GatewayError | null) => void

/** Asks the upstream once. Resolves with null when the client has been answered, else with the reason why it was not. */
export async function attemptUpstream(
  gateway: Gateway,
  prepared: Prepared,
  exchange: Exchange,
): Promise<GatewayError | null> {
  const { call, source } = prepared
  const opened = await source(call, exchange.signal)
  exchange.entry.upstream_ms = exchange.elapsed()
  if (!opened.ok) return opened.error
  const answer = opened.value
  if (answer.status >= 300) return refusal(prepared, answer)
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    answer.abort()
    return upstreamError('upstream_invalid', 'The upstream compressed its answer, unasked.')
  }
  return deliver(gateway, prepared, exchange, answer)
}

/** The upstream refused: its reason. */
async function refusal({ options }: Prepared, answer: Answer): Promise<GatewayError> {
  const { status, headers } = answer
  if (status < 400) {
    answer.abort()
    return upstreamError('upstream_invalid', `The upstream answered with status ${status}.`)
  }
  const body = await readWhole(answer, LONGEST_ERROR)
  return options.wire.decodeError(status, headers, body.ok ? body.value : '')
}

/** Four ways, of which two are meant: a stream to who asked for one, a body to who did not. Vendors know the others, too. */
function deliver(
  gateway: Gateway,
  prepared: Prepared,
  exchange: Exchange,
  answer: Answer,
): Promise<GatewayError | null> {
  const { options, call, voice } = prepared
  const { keep_alive_seconds, timeouts } = gateway.config
  const times = { keepAliveMs: keep_alive_seconds * 1000, stalledMs: timeouts.stalled_client_seconds * 1000 }
  return new Promise((resolve, reject) => {
    const events = (): Reader =>
      call.stream
        ? relay({ exchange, answer, voice, ...times }, resolve)
        : collected(prepared, exchange, answer, resolve)
    const body = (): Reader =>
      wholeBody(answer, options.limits.upstreamTotal, (text) =>
        resolve(text.ok ? sendBody(prepared, exchange, text.value, times.stalledMs) : text.error),
      )
    const framing = FRAMINGS[options.wire.framing]
    const streams = isStream(answer.headers['content-type'], framing)
    const reader = streams ? events() : byFirstBytes(framing, events, body)
    const onBug = (error: unknown): void => {
      answer.abort()
      reject(error)
    }
    answer.read(gather(reader, onBug))
  })
}

/** Nothing has been said yet: a failure still is a failure, and not an answer of status 200. */
function sendBody(
  { voice, call, toTell }: Prepared,
  exchange: Exchange,
  body: string,
  stalledMs: number,
): GatewayError | null {
  const told = call.stream ? voice.streamed(body) : voice.whole(body)
  noteOutcome(exchange, told.outcome)
  if (told.outcome.error !== null) return told.outcome.error
  if ('response' in told) return sendTold(exchange, toTell(told.response))
  openEventReply(exchange, voice, { ...UNTROUBLED, stalledMs }).end(told.bytes)
  return null
}

function sendTold(exchange: Exchange, told: Attempt<JsonObject>): GatewayError | null {
  if (!told.ok) return told.error
  sendJson(exchange, 200, told.value)
  return null
}

/** Of a stream that is said in one breath. */
const UNTROUBLED = { keepAliveMs: 0, onFull: () => {}, onDrain: () => {} }

/** A stream that nobody asked for, put together. */
function collected({ voice, toTell }: Prepared, exchange: Exchange, answer: Answer, done: Told): Reader {
  const collection = voice.collection()
  const finish = (response: JsonObject | null): void => {
    const outcome = collection.outcome()
    noteOutcome(exchange, outcome)
    if (outcome.error !== null || response === null) done(outcome.error)
    else done(sendTold(exchange, toTell(response)))
  }
  return {
    bytes(chunk) {
      if (collection.over()) return
      collection.receive(chunk)
      if (collection.begun()) exchange.entry.first_token_ms ??= exchange.elapsed()
      if (!collection.over()) return
      // A limit was passed.
      answer.abort()
      finish(null)
    },
    end: () => {
      if (!collection.over()) finish(collection.end())
    },
    fail: (error) => {
      if (!collection.over()) finish(collection.fail(error))
    },
  }
}
