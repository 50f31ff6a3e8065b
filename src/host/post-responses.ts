import { collectStream, streamBody, translate, translateBody } from '../engine.ts'
import { FRAMINGS } from '../framing/table.ts'
import { upstreamError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { formatLoss } from '../protocol/loss.ts'
import type { Mount } from './config.ts'
import { openEventReply } from './event-reply.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { gather } from './gather.ts'
import { noteAnswer, noteTold } from './observability-trace.ts'
import { type Prepared, prepare } from './prepare.ts'
import { relay } from './relay.ts'
import { noteOutcome, sendError, sendJson } from './reply.ts'
import { byFirstBytes, isStream } from './sniff.ts'
import type { Answer, Reader } from './source.ts'
import { readWhole, wholeBody } from './whole.ts'

/** An upstream's own words about a failure are short; of a longer text the beginning must do. */
const LONGEST_ERROR = 1024 * 1024

/** `POST {mount}/responses`. Resolves when the answer has been said, whatever it was. */
export async function postResponses(gateway: Gateway, mount: Mount, exchange: Exchange): Promise<void> {
  const prepared = await prepare(gateway, mount, exchange)
  if (!prepared.ok) return sendError(exchange, prepared.error)
  const { call, source, losses } = prepared.value
  exchange.entry.losses = losses.map(formatLoss)
  const opened = await source(call, exchange.signal)
  exchange.entry.upstream_ms = exchange.elapsed()
  if (!opened.ok) return sendError(exchange, opened.error)
  const answer = opened.value
  if (answer.status >= 300) return refuse(prepared.value, exchange, answer)
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    answer.abort()
    return sendError(exchange, upstreamError('upstream_invalid', 'The upstream compressed its answer, unasked.'))
  }
  return deliver(gateway, prepared.value, exchange, answer)
}

/** The upstream refused: its reason becomes the answer. */
async function refuse({ options }: Prepared, exchange: Exchange, answer: Answer): Promise<void> {
  const { status, headers } = answer
  if (status < 400) {
    answer.abort()
    return sendError(exchange, upstreamError('upstream_invalid', `The upstream answered with status ${status}.`))
  }
  const body = await readWhole(answer, LONGEST_ERROR)
  sendError(exchange, options.wire.decodeError(status, headers, body.ok ? body.value : ''))
}

/** Four ways, of which two are meant: a stream to who asked for one, a body to who did not. Vendors know the others, too. */
function deliver(gateway: Gateway, prepared: Prepared, exchange: Exchange, answer: Answer): Promise<void> {
  const { options, call } = prepared
  const { keep_alive_seconds, timeouts } = gateway.config
  const times = { keepAliveMs: keep_alive_seconds * 1000, stalledMs: timeouts.stalled_client_seconds * 1000 }
  return new Promise((resolve, reject) => {
    const events = (): Reader =>
      call.stream
        ? relay({ exchange, answer, translation: translate(options), ...times }, resolve)
        : collected(prepared, exchange, answer, resolve)
    const body = (): Reader =>
      wholeBody(answer, options.limits.upstreamTotal, (text) => {
        if (text.ok) sendBody(prepared, exchange, text.value, times.stalledMs)
        else sendError(exchange, text.error)
        resolve()
      })
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
function sendBody({ options, call }: Prepared, exchange: Exchange, body: string, stalledMs: number): void {
  const told = call.stream ? streamBody(options, body) : translateBody(options, body)
  noteOutcome(exchange, told.outcome)
  noteTold(exchange, told)
  if (told.outcome.error !== null) sendError(exchange, told.outcome.error)
  else if ('response' in told) sendJson(exchange, 200, told.response)
  else openEventReply(exchange, { ...UNTROUBLED, stalledMs }).end(told.bytes)
}

/** Of a stream that is said in one breath. */
const UNTROUBLED = { keepAliveMs: 0, onFull: () => {}, onDrain: () => {} }

/** A stream that nobody asked for, put together. */
function collected({ options }: Prepared, exchange: Exchange, answer: Answer, done: () => void): Reader {
  const collection = collectStream(options)
  const finish = (response: JsonObject | null): void => {
    const outcome = collection.outcome()
    noteOutcome(exchange, outcome)
    noteAnswer(exchange, collection)
    if (outcome.error !== null) sendError(exchange, outcome.error)
    else if (response !== null) sendJson(exchange, 200, response)
    done()
  }
  return {
    bytes(chunk) {
      if (collection.over) return
      collection.receive(chunk)
      if (collection.begun()) exchange.entry.first_token_ms ??= exchange.elapsed()
      if (!collection.over) return
      // A limit was passed.
      answer.abort()
      finish(null)
    },
    end: () => {
      if (!collection.over) finish(collection.end())
    },
    fail: (error) => {
      if (!collection.over) finish(collection.fail(error))
    },
  }
}
