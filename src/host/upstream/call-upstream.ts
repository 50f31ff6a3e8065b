import { FRAMINGS } from '../../framing/registry.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { err } from '../../protocol/result.ts'
import type { Gateway } from '../gateway.ts'
import type { Prepared } from '../server/endpoints/prepare-request.ts'
import type { RequestContext } from '../server/request-context.ts'
import { noteOutcome, sendAnswer } from '../server/send.ts'
import { batchReads } from './batch-reads.ts'
import { byFirstBytes, isStream } from './detect-stream.ts'
import { requestAnswer } from './open-answer.ts'
import { wholeBody } from './read-response-body.ts'
import { type ResponseReader, streamResponse } from './stream-response.ts'
import type { BodyReader, UpstreamResponse } from './transport.ts'
import { Slices } from './work-slices.ts'

/** Receives null when the client has its answer, or the reason why nothing was sent to it. */
type OnDone = (error: GatewayError | null) => void

/** Calls the upstream once. Resolves with null when the client has its answer, else with the reason why it has none. */
export async function callUpstream(
  gateway: Gateway,
  prepared: Prepared,
  context: RequestContext,
): Promise<GatewayError | null> {
  const opened = await requestAnswer(prepared, context.signal, gateway.config.timeouts)
  context.entry.upstream_ms = context.elapsed()
  return opened.ok ? deliver(gateway, prepared, context, opened.value) : opened.error
}

/**
 * Handles all four combinations of requested and received mode. Some vendors answer a streaming request with a JSON
 * body, or the reverse.
 */
function deliver(
  gateway: Gateway,
  prepared: Prepared,
  context: RequestContext,
  answer: UpstreamResponse,
): Promise<GatewayError | null> {
  const { options, call, target } = prepared
  const keepAliveMs = gateway.config.keep_alive_seconds * 1000
  return new Promise((resolve, reject) => {
    const onBug = (error: unknown): void => {
      answer.abort()
      reject(error)
    }
    const open = (): ResponseReader =>
      call.stream
        ? streamResponse({ exchange: context, answer, target, onBug, keepAliveMs }, resolve)
        : collected({ prepared, exchange: context, answer, onBug }, resolve)
    const framing = FRAMINGS[options.wire.framing]
    const isLabelled = isStream(answer.headers['content-type'], framing)
    // Opens the answer before the first bytes arrive, so that a client soon receives the head of its stream.
    const labelled = isLabelled ? open() : null
    const events = (): ResponseReader => labelled ?? open()
    const body = (): BodyReader =>
      wholeBody(answer, options.wholeLimits, (text) => {
        if (text.ok) events().body(text.value)
        else if (labelled === null) resolve(text.error)
        else labelled.fail(text.error)
      })
    const reader = byFirstBytes(framing, isLabelled, events, body)
    answer.read(batchReads(reader, onBug))
  })
}

interface CollectedOptions {
  readonly prepared: Prepared
  readonly exchange: RequestContext
  readonly answer: UpstreamResponse
  readonly onBug: (error: unknown) => void
}

/** Sends one whole answer to the client, built from a body or from an unrequested stream. */
function collected({ prepared, exchange: context, answer, onBug }: CollectedOptions, done: OnDone): ResponseReader {
  const { target, mapResponse } = prepared
  const collection = target.collection()
  const finish = (): void => {
    slices.stop()
    const outcome = collection.outcome()
    noteOutcome(context, outcome)
    const body = outcome.error === null ? mapResponse(collection.end()) : err(outcome.error)
    if (body.ok) sendAnswer(context, body.value).then(() => done(null), onBug)
    else done(body.error)
  }
  const take = (): void => {
    if (collection.begun()) context.entry.first_token_ms ??= context.elapsed()
    if (collection.over() && !collection.busy()) finish()
  }
  const slices = new Slices({ work: collection, answer, take, onBug })
  context.response.on('close', slices.free)
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
