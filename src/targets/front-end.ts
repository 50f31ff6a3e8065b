import { unnumbered } from '../engine/client-target.ts'
import type { BodyBuilder, Target, TargetContext } from '../engine/target.ts'
import { FORMATS } from '../framing/format.ts'
import type { Frame } from '../framing/frame.ts'
import { type Machine, NOTHING } from '../machine/machine.ts'
import { pipe } from '../machine/pipe.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Event, EventOf } from '../protocol/event.ts'
import type { JsonObject } from '../protocol/json.ts'
import { ALL_CAPABILITIES } from '../responses/capabilities.ts'
import { sealReasoning } from '../responses/encrypted-content.ts'
import { formatJson } from '../text/json.ts'
import type { ClientErrorBody, ClientSupport } from '../wires/client-contract.ts'
import { lossesFor } from '../wires/shared/client/client-losses.ts'

/** One answer, as far as the stream of a user interface needs it. */
export interface FrontEndContext {
  /** Without a prefix. */
  readonly id: string
  readonly settings: JsonObject
  /** The losses of the interface itself, of the event that ends an answer. */
  readonly lossesOf: (ended: EndOfAnswer) => readonly string[]
}

export type EndOfAnswer = EventOf<'completed' | 'incomplete' | 'failed'>

/** A stream that a user interface reads. Its objects are made from the events of an answer, which are bracketed already. */
export interface FrontEnd<State> {
  readonly name: string
  readonly headers?: Readonly<Record<string, string>>
  /** The data of the last frame, after all objects. Left out: the protocol has none. */
  readonly terminator?: string
  /** The parts of an answer that its readers receive; all others are recorded losses. */
  readonly supports: ClientSupport
  /** Events → the objects of the stream. */
  open(context: FrontEndContext): Machine<State, Event, JsonObject>
  /** All objects of a stream → the body of an answer that is not streamed. */
  toBody(objects: readonly JsonObject[], context: FrontEndContext): JsonObject
}

/** The parts of an answer that interfaces receive. Each item is whole: as a call with its result, or as data of its own. */
export const INTERFACE_SUPPORT: ClientSupport = {
  hosted: [],
  hasOwnForm: () => true,
  annotations: ['url_citation', 'file_citation'],
  logprobs: false,
  argumentObjects: 'none',
  sealed: true,
  openedPages: true,
  namespaces: true,
  served: [],
  cost: false,
  // Each of these requests is a call of the answer.
  details: ['web_search_requests', 'web_fetch_requests'],
  parts: ['cached_tokens', 'reasoning_tokens', 'cache_write_tokens'],
  lifetimes: [],
}

/** A part of an answer that an interface has no place for is written under a name of its own, which others do not have. */
export const OWN_NAMESPACE = 'millrace'

/** The interfaces show the text of a failure; its code, and the place of a mistake in the request, are for programs. */
export const frontEndError = ({ status, code, message, param }: GatewayError): ClientErrorBody => ({
  status,
  body: { error: { code, message, ...(param === null ? {} : { param }) } },
})

/** The target of an interface. `settings`: what the program decides about its answers. */
export function frontEndTarget<State>(frontEnd: FrontEnd<State>, settings: JsonObject = {}): Target {
  const { name, headers, supports, terminator } = frontEnd
  const lossesOf: Target['lossesOf'] = (answer, served, streamed) => lossesFor(answer, served, supports, streamed)
  const contextOf = ({ head }: TargetContext): FrontEndContext => ({
    id: head.id.replace(/^resp_/, ''),
    settings,
    lossesOf: ({ response, served = {} }) => [...new Set(lossesOf(response, served, true))],
  })
  const objects = (context: TargetContext): Machine<State, Event, JsonObject> => frontEnd.open(contextOf(context))
  return {
    name,
    capabilities: ALL_CAPABILITIES,
    settings,
    format: 'sse',
    keepAlive: FORMATS.sse.comment,
    coalesces: false,
    ...(headers === undefined ? {} : { headers }),
    stream: (context) => unnumbered(pipe(pipe(objects(context), framesTo(terminator)), FORMATS.sse.write)),
    objects,
    openBody: (context) => bodyBuilder(frontEnd, contextOf(context)),
    errorBody: frontEndError,
    seal: (payload, { origin, sign }) => sealReasoning(origin, payload, sign),
    lossesOf,
  }
}

/** Objects → frames. */
const framesTo = (terminator: string | undefined): Machine<null, JsonObject, Frame> => ({
  initial: null,
  step: (state, object) => ({ state, events: [{ event: '', data: formatJson(object) }] }),
  end: () => (terminator === undefined ? NOTHING : [{ event: '', data: terminator }]),
})

function bodyBuilder<State>(frontEnd: FrontEnd<State>, context: FrontEndContext): BodyBuilder<State, JsonObject> {
  const objects: JsonObject[] = []
  return {
    machine: frontEnd.open(context),
    add: (object) => objects.push(object) === 0,
    *build(error) {
      // In a slice of its own, because it reads all objects again.
      yield
      return error === null ? frontEnd.toBody(objects, context) : frontEndError(error).body
    },
  }
}
