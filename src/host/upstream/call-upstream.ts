import { FRAMINGS } from '../../framing/registry.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { failure } from '../../protocol/result.ts'
import type { Gateway } from '../gateway.ts'
import type { Prepared } from '../server/endpoints/prepare-request.ts'
import type { Exchange } from '../server/request-context.ts'
import { noteOutcome, sendAnswer } from '../server/send.ts'
import { gather } from './batch-reads.ts'
import { byFirstBytes, isStream } from './detect-stream.ts'
import { openAnswer } from './open-answer.ts'
import { wholeBody } from './read-response-body.ts'
import { type Relayed, relay } from './stream-response.ts'
import type { Answer, Reader } from './transport.ts'
import { Slices } from './work-slices.ts'

/** Receives null when the client has its answer, or the reason why nothing was sent to it. */
type Told = (error: GatewayError | null) => void

/** Calls the upstream once. Resolves with null when the client has its answer, else with the reason why it has none. */
export async function attemptUpstream(
  gateway: Gateway,
  prepared: Prepared,
  exchange: Exchange,
): Promise<GatewayError | null> {
  const opened = await openAnswer(prepared, exchange.signal, gateway.config.timeouts)
  exchange.entry.upstream_ms = exchange.elapsed()
  return opened.ok ? deliver(gateway, prepared, exchange, opened.value) : opened.error
}

/**
 * Handles all four combinations of requested and received mode. Some vendors answer a streaming request with a JSON
 * body, or the reverse.
 */
function deliver(
  gateway: Gateway,
  prepared: Prepared,
  exchange: Exchange,
  answer: Answer,
): Promise<GatewayError | null> {
  const { options, call, voice } = prepared
  const keepAliveMs = gateway.config.keep_alive_seconds * 1000
  return new Promise((resolve, reject) => {
    const onBug = (error: unknown): void => {
      answer.abort()
      reject(error)
    }
    const open = (): Relayed =>
      call.stream
        ? relay({ exchange, answer, voice, onBug, keepAliveMs }, resolve)
        : collected({ prepared, exchange, answer, onBug }, resolve)
    const framing = FRAMINGS[options.wire.framing]
    const isLabelled = isStream(answer.headers['content-type'], framing)
    // Opens the answer before the first bytes arrive, so that a client soon receives the head of its stream.
    const labelled = isLabelled ? open() : null
    const events = (): Relayed => labelled ?? open()
    const body = (): Reader =>
      wholeBody(answer, options.wholeLimits, (text) => {
        if (text.ok) events().body(text.value)
        else if (labelled === null) resolve(text.error)
        else labelled.fail(text.error)
      })
    const reader = byFirstBytes(framing, isLabelled, events, body)
    answer.read(gather(reader, onBug))
  })
}

interface CollectedOptions {
  readonly prepared: Prepared
  readonly exchange: Exchange
  readonly answer: Answer
  readonly onBug: (error: unknown) => void
}

/** Sends one whole answer to the client, built from a body or from an unrequested stream. */
function collected({ prepared, exchange, answer, onBug }: CollectedOptions, done: Told): Relayed {
  const { voice, toTell } = prepared
  const collection = voice.collection()
  const finish = (): void => {
    slices.stop()
    const outcome = collection.outcome()
    noteOutcome(exchange, outcome)
    const told = outcome.error === null ? toTell(collection.end()) : failure(outcome.error)
    if (told.ok) sendAnswer(exchange, told.value).then(() => done(null), onBug)
    else done(told.error)
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
        // The answer has passed a limit.
        if (collection.over()) answer.abort()
      })
    },
    body: (text) => slices.run(() => collection.receiveBody(text)),
    end: () => slices.run(() => collection.close(null)),
    fail: (error) => slices.run(() => collection.close(error)),
  }
}
