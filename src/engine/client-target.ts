import { getOrCreate } from '../collections/get-or-create.ts'
import { FORMATS, type FormatName } from '../framing/format.ts'
import { type Frame, jsonOf } from '../framing/frame.ts'
import { type Machine, NOTHING } from '../machine/machine.ts'
import { pipe } from '../machine/pipe.ts'
import { run } from '../machine/run.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Event } from '../protocol/event.ts'
import type { JsonObject } from '../protocol/json.ts'
import { ALL_CAPABILITIES } from '../responses/capabilities.ts'
import { openUnsealed, sealReasoning, toUnsealed } from '../responses/encrypted-content.ts'
import { eventsToDeltas } from '../responses/to-deltas.ts'
import { isObject } from '../text/json.ts'
import type { Steps } from '../text/steps.ts'
import type { AnswerCodec, ChangeText, ClientCodec, EncodeContext, SealedTexts } from '../wires/client-contract.ts'
import { lossesFor } from '../wires/shared/client/client-losses.ts'
import { DeltaList } from './delta-list.ts'
import type { BodyBuilder, Target, TargetContext } from './target.ts'

/** A wire that clients can use, as far as it encodes answers. */
export interface AnswerWire {
  readonly name: string
  readonly client: AnswerCodec
}

/** A wire that clients can use. */
export interface ClientWire extends AnswerWire {
  readonly client: ClientCodec
}

export interface ClientTargetOptions {
  /** The request context that the answer needs, as returned by `decodeRequest`. */
  readonly settings?: JsonObject
  /** The format of the stream. Default: the usual one of the wire. */
  readonly format?: FormatName
}

/**
 * Events → the deltas that the client side of every wire encodes. The order of an answer is decided once for all
 * targets, by the reducer, so that its events become deltas again.
 */
const DELTAS = eventsToDeltas

/** The usual format of a wire's streams. */
export const formatOf = ({ client }: AnswerWire): FormatName => client.format

/** The parts of a target that are the same for each request. */
type OfWire = Omit<Target, 'settings' | 'stream' | 'objects' | 'failure' | 'openBody'>

/** Memory of the process: each request has a target. */
const OF_WIRES = new WeakMap<AnswerWire, Map<FormatName, OfWire>>()

function createOfWire(to: AnswerWire, format: FormatName): OfWire {
  const { comment, write } = FORMATS[format]
  const { keepAlive, supports, headers } = to.client
  return {
    name: to.name,
    // The client side of the wire drops what it cannot express.
    capabilities: ALL_CAPABILITIES,
    format,
    // In a JSON array, a keep-alive message would count as an element of the answer.
    keepAlive: keepAlive === null || format === 'array' ? comment : run(write, [keepAlive]).join(''),
    coalesces: false,
    ...(headers === undefined ? {} : { headers }),
    errorBody: (error, requestId) => to.client.encodeError(error, requestId),
    // No other client can send the vendor's own content back.
    seal: (payload, { origin, sign }) =>
      origin.wire === to.name ? toUnsealed(payload) : sealReasoning(origin, payload, sign),
    lossesOf: (answer, served, streamed) => lossesFor(answer, served, supports, streamed),
  }
}

export function wireTarget(to: AnswerWire, { settings = {}, format = formatOf(to) }: ClientTargetOptions = {}): Target {
  const { write } = FORMATS[format]
  const ofFormats = getOrCreate(OF_WIRES, to, () => new Map<FormatName, OfWire>())
  const deltas = (context: TargetContext): Machine<unknown, Event, Frame> =>
    pipe(DELTAS, to.client.encodeStream(encodeContextOf(to.client, context, settings)))
  const ofWire = getOrCreate(ofFormats, format, () => createOfWire(to, format))
  // A literal without a spread at its beginning: V8 adds the members after one one by one.
  return {
    name: ofWire.name,
    capabilities: ofWire.capabilities,
    settings,
    format,
    keepAlive: ofWire.keepAlive,
    coalesces: ofWire.coalesces,
    errorBody: ofWire.errorBody,
    seal: ofWire.seal,
    lossesOf: ofWire.lossesOf,
    stream: (context) => unnumbered(pipe(deltas(context), write)),
    objects: (context) => pipe(deltas(context), PARSED),
    failure: (context, error) => {
      const machine = to.client.encodeStream(encodeContextOf(to.client, context, settings))
      const { state, events } = machine.step(machine.initial, { kind: 'error', error })
      return [...events, ...machine.end(state)]
    },
    openBody: (context) => bodyBuilder(to.client, encodeContextOf(to.client, context, settings), context.head.id),
    ...(ofWire.headers === undefined ? {} : { headers: ofWire.headers }),
  }
}

/** Frames → their objects. A terminator is none. */
const PARSED: Machine<null, Frame, JsonObject> = {
  initial: null,
  step: (state, frame) => {
    const value = jsonOf(frame)
    return { state, events: isObject(value) ? [value as JsonObject] : NOTHING }
  },
  end: () => NOTHING,
}

interface UnnumberedState {
  readonly sequence: number
  readonly open: boolean
  readonly inner: unknown
}

/** Gives a machine the state that the fast path expects. Its frames have no numbers. */
export const unnumbered = (machine: Machine<unknown, Event, string>): Machine<UnnumberedState, Event, string> => ({
  initial: { sequence: 0, open: false, inner: machine.initial },
  step(state, event) {
    const { state: inner, events } = machine.step(state.inner, event)
    return { state: inner === state.inner ? state : { sequence: 0, open: false, inner }, events }
  },
  end: ({ inner }) => machine.end(inner),
})

function bodyBuilder(client: AnswerCodec, context: EncodeContext, id: string): BodyBuilder<unknown, Delta> {
  const deltas = new DeltaList()
  return {
    machine: DELTAS,
    add: (delta) => deltas.add(delta),
    build: (error) => bodySteps(client, context, deltas, error, id),
  }
}

/** An answer that failed has an error as its body. */
function* bodySteps(
  { encodeBody, encodeBodyInSteps, encodeError }: AnswerCodec,
  context: EncodeContext,
  deltas: DeltaList,
  error: GatewayError | null,
  id: string,
): Steps<JsonObject> {
  if (error !== null) return encodeError(error, id).body
  return encodeBodyInSteps === undefined
    ? encodeBody(deltas.all(), context)
    : yield* encodeBodyInSteps(deltas.all(), context)
}

const encodeContextOf = (
  { sealedTexts }: AnswerCodec,
  { head, origin, sign }: TargetContext,
  settings: JsonObject,
): EncodeContext => ({
  id: head.id.replace(/^resp_/, '').replace(/[^A-Za-z0-9_]/g, '_'),
  created_at: head.created_at,
  model: head.model,
  settings,
  // Another upstream may begin the answer anew, which changes the origin.
  open: (encrypted) =>
    (origin.isShared === true ? openShared(sealedTexts, (text) => sealReasoning(origin, text, sign)) : openUnsealed)(
      encrypted,
    ),
  seal(encrypted) {
    const payload = openUnsealed(encrypted)
    return payload === undefined ? encrypted : sealReasoning(origin, payload, sign)
  },
})

/** Opens the vendor's own content, each text of which has an envelope where another account may answer next. */
const openShared =
  (texts: SealedTexts | undefined, seal: ChangeText): EncodeContext['open'] =>
  (encrypted) => {
    const payload = openUnsealed(encrypted)
    if (payload === undefined || texts === undefined) return payload
    const { wrap = (envelope) => envelope } = texts
    return texts.inPayload(payload, (text) => wrap(seal(text)))
  }
