import { FRAMINGS } from '../framing/table.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { askUpstream } from './ask-upstream.ts'
import type { Attempt } from './attempt.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { gather } from './gather.ts'
import type { Prepared } from './prepare.ts'
import { type Relayed, relay } from './relay.ts'
import { noteOutcome, sendJson } from './reply.ts'
import { Slices } from './slices.ts'
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
  const opened = await askUpstream(call, source, exchange.signal)
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
    const onBug = (error: unknown): void => {
      answer.abort()
      reject(error)
    }
    const open = (): Relayed =>
      call.stream
        ? relay({ exchange, answer, voice, onBug, ...times }, resolve)
        : collected({ prepared, exchange, answer, onBug }, resolve)
    const body = (): Reader =>
      wholeBody(answer, options.wholeLimits, (text) => {
        if (text.ok) open().body(text.value)
        else resolve(text.error)
      })
    const framing = FRAMINGS[options.wire.framing]
    const streams = isStream(answer.headers['content-type'], framing)
    const reader = streams ? open() : byFirstBytes(framing, open, body)
    answer.read(gather(reader, onBug))
  })
}

function sendTold(exchange: Exchange, told: Attempt<JsonObject>): GatewayError | null {
  if (!told.ok) return told.error
  sendJson(exchange, 200, told.value)
  return null
}

interface CollectedOptions {
  readonly prepared: Prepared
  readonly exchange: Exchange
  readonly answer: Answer
  readonly onBug: (error: unknown) => void
}

/** A whole answer to the client, from a body or from a stream that nobody asked for. */
function collected({ prepared, exchange, answer, onBug }: CollectedOptions, done: Told): Relayed {
  const { voice, toTell } = prepared
  const collection = voice.collection()
  const finish = (): void => {
    slices.stop()
    const outcome = collection.outcome()
    noteOutcome(exchange, outcome)
    done(outcome.error ?? sendTold(exchange, toTell(collection.end())))
  }
  const take = (): void => {
    if (collection.begun()) exchange.entry.first_token_ms ??= exchange.elapsed()
    if (collection.over() && !collection.busy()) finish()
  }
  const slices = new Slices({ work: collection, answer, take, onBug })
  exchange.response.on('close', slices.free)
  return {
    bytes(chunk) {
      const bytes = slices.busy() ? chunk.slice() : chunk
      slices.run(() => {
        collection.receive(bytes)
        // A limit was passed.
        if (collection.over()) answer.abort()
      })
    },
    body: (text) => slices.run(() => collection.receiveBody(text)),
    end: () => slices.run(() => collection.close(null)),
    fail: (error) => slices.run(() => collection.close(error)),
  }
}
