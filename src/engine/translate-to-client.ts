import { FORMATS, type FormatName } from '../framing/format.ts'
import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import { pipe } from '../machine/pipe.ts'
import { FULL_BUFFER } from '../output/frame-printer.ts'
import { outputBuffer } from '../output/output-buffer.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { JsonObject } from '../protocol/json.ts'
import { fillBlankCalls } from '../responses/call-arguments.ts'
import { ALL_CAPABILITIES } from '../responses/capabilities.ts'
import { openReasoning } from '../responses/encrypted-content.ts'
import { eventsToDeltas } from '../responses/to-deltas.ts'
import type { Steps } from '../text/steps.ts'
import type { ClientCodec, EncodeContext } from '../wires/client-contract.ts'
import type { WireName } from '../wires/contract.ts'
import { lossesFor } from '../wires/shared/client/client-losses.ts'
import { bodyEncoderOf, DeltaChain, type Encoder, encoderOf } from './delta-encoder.ts'
import { DeltaList } from './delta-list.ts'
import type { Outcome } from './outcome.ts'
import { createPipeline } from './pipeline.ts'
import type { PipelineOptions } from './reducer.ts'
import { type BodyCollector, createBodyCollector, type Translation, wholly } from './translate.ts'

/** A wire that clients can use. */
export interface ClientWire {
  readonly name: WireName
  readonly client: ClientCodec
}

export interface TranslateToOptions extends Omit<PipelineOptions, 'dialect'> {
  /** The wire of the client that receives the answer. */
  readonly to: ClientWire
  /** The request context that the answer needs, as returned by `decodeRequest`. */
  readonly settings?: JsonObject
  /** The format of the stream. Default: the usual one of the wire. */
  readonly format?: FormatName
  /** As in `translate`. */
  readonly lend?: boolean
  readonly slice?: number
}

const NO_BYTES = new Uint8Array(0)

/** Events → the deltas that the client side of every wire reads. */
const DELTAS = pipe(eventsToDeltas, fillBlankCalls)

/** The usual format of a wire's streams. */
export const formatOf = ({ client }: ClientWire): FormatName => (client.framing === 'ndjson' ? 'ndjson' : 'sse')

/** Translates upstream bytes to the stream of another wire, or of the same one, as bytes. */
export function translateTo(options: TranslateToOptions): Translation {
  const { lend, slice } = options
  const full = slice === undefined ? Number.POSITIVE_INFINITY : FULL_BUFFER
  let discards = false
  const write = (text: string): boolean => {
    if (discards) return false
    outputBuffer.text(text)
    return outputBuffer.size() >= full
  }
  const stream = createPipeline(toPipelineOptions(options), writerOf(options), write, slice)
  const take = (steps: () => void): Uint8Array => {
    outputBuffer.reset()
    stream.refill()
    steps()
    return outputBuffer.take(lend)
  }
  const unlessOver = (steps: () => void): Uint8Array => (stream.over() ? NO_BYTES : take(steps))
  return {
    receive: (bytes) =>
      unlessOver(() => {
        stream.process(bytes)
        if (stream.exceeds(bytes.length)) stream.stop()
      }),
    receiveBody: (body) => take(() => stream.processBody(body)),
    end: () => unlessOver(() => stream.end()),
    fail: (error) => unlessOver(() => stream.fail(error)),
    discard: () => {
      discards = true
    },
    busy: () => stream.busy(),
    resume: () => take(() => stream.resume()),
    over: () => stream.over(),
    begun: () => stream.begun(),
    outcome: () => capabilitiesFor(options, stream.outcome()),
  }
}

/** Collects upstream bytes into the body of another wire. */
export function collectTo(options: TranslateToOptions): BodyCollector {
  const deltas = new DeltaList()
  const stream = createPipeline(toPipelineOptions(options), DELTAS, (delta) => deltas.add(delta), options.slice)
  const collection = createBodyCollector(
    stream,
    () => bodySteps(options, deltas.all(), stream.outcome()),
    options.slice,
  )
  return { ...collection, outcome: () => capabilitiesFor(options, stream.outcome()) }
}

/** Translates a whole upstream body to the body of another wire. */
export function translateBodyTo(options: TranslateToOptions, body: string): { response: JsonObject; outcome: Outcome } {
  const collection = collectTo(wholly(options))
  collection.receiveBody(body)
  return { response: collection.end(), outcome: collection.outcome() }
}

/** Translates a whole upstream body to a stream of another wire. */
export function streamBodyTo(options: TranslateToOptions, body: string): { bytes: Uint8Array; outcome: Outcome } {
  const translation = translateTo({ ...wholly(options), lend: false })
  return { bytes: translation.receiveBody(body), outcome: translation.outcome() }
}

/** Encodes deltas from any source as the stream of a wire. */
export function createClientEncoder(options: TranslateToOptions): Encoder<Uint8Array, Uint8Array> {
  const full = options.slice === undefined ? Number.POSITIVE_INFINITY : FULL_BUFFER
  const write = (text: string): boolean => {
    outputBuffer.text(text)
    return outputBuffer.size() >= full
  }
  const chain = new DeltaChain(toPipelineOptions(options), writerOf(options), write, options.slice)
  const take = (steps: () => void): Uint8Array => {
    outputBuffer.reset()
    steps()
    return outputBuffer.take()
  }
  const encoder = encoderOf(chain, { take, waits: () => false, resume: () => undefined })
  return { ...encoder, outcome: (chunks) => capabilitiesFor(options, encoder.outcome(chunks)) }
}

/** Encodes deltas from any source as a body. */
export function createClientBodyEncoder(options: TranslateToOptions): Encoder<void, JsonObject> {
  const deltas = new DeltaList()
  const chain = new DeltaChain(toPipelineOptions(options), DELTAS, (delta) => deltas.add(delta), options.slice)
  const encoder = bodyEncoderOf(chain, () => bodySteps(options, deltas.all(), chain.outcome()), options.slice)
  return { ...encoder, outcome: (chunks) => capabilitiesFor(options, encoder.outcome(chunks)) }
}

/** Adds the losses of the answer: content that this client's wire cannot express. */
function capabilitiesFor({ to }: TranslateToOptions, outcome: Outcome): Outcome {
  if (outcome.answer === null) return outcome
  return { ...outcome, losses: [...new Set([...outcome.losses, ...lossesFor(outcome.answer, to.client.supports)])] }
}

/** The reducer uses all capabilities. The client side of the wire drops what it cannot express. */
const toPipelineOptions = (options: TranslateToOptions): PipelineOptions => ({ ...options, dialect: ALL_CAPABILITIES })

const writerOf = (options: TranslateToOptions): Machine<unknown, Event, string> => {
  const { to, format = formatOf(to) } = options
  const encode: Machine<unknown, Delta, Frame> = to.client.encodeStream(encodeContextOf(options))
  return pipe(pipe(DELTAS, encode), FORMATS[format].write)
}

function* bodySteps(...[options, deltas, outcome]: Parameters<typeof bodyOf>): Steps<JsonObject> {
  const { encodeBodyInSteps } = options.to.client
  if (outcome.error !== null || encodeBodyInSteps === undefined) return bodyOf(options, deltas, outcome)
  return yield* encodeBodyInSteps(deltas, encodeContextOf(options))
}

/** An answer that failed has an error as its body. */
const bodyOf = (options: TranslateToOptions, deltas: readonly Delta[], { error }: Outcome): JsonObject =>
  error === null
    ? options.to.client.encodeBody(deltas, encodeContextOf(options))
    : options.to.client.encodeError(error, options.head.id).body

/**
 * Encrypted reasoning of the upstream is opened only if the client's wire is the same: no other client can send it
 * back.
 */
function encodeContextOf({ wire, to, head, sign, settings = {}, origin }: TranslateToOptions): EncodeContext {
  const { name } = wire
  const from = origin ?? { wire: name, vendor: '', model: '' }
  return {
    id: head.id.replace(/^resp_/, '').replace(/[^A-Za-z0-9_]/g, '_'),
    created_at: head.created_at,
    model: head.model,
    settings,
    open: (sealed) => (name === to.name ? openReasoning(from, sealed, sign) : undefined),
  }
}
