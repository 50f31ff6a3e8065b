import type { Frame } from '../framing/frame.ts'
import type { Delta } from '../protocol/delta.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Request } from '../protocol/request.ts'
import type { Steps } from '../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from './contract.ts'

/** A difference of a vendor from the others of its wire, given by a program. */
export interface WireChanges {
  /** Changes the body of a request. The same object: nothing to change. */
  readonly request?: (body: JsonObject, request: Request, target: UpstreamContext) => JsonObject
  /** Changes a frame of a stream before it is decoded. The same object: nothing to change. */
  readonly frame?: (frame: Frame) => Frame
  /** Changes a whole body before it is decoded. */
  readonly body?: (body: unknown) => unknown
}

/**
 * A wire with a difference that no quirk has, under the same name. Requests and answers of its own clients are translated
 * as well, because the client's own body does not have the difference.
 */
export function adaptWire(wire: Wire, { request, frame, body }: WireChanges): Wire {
  const { passthrough: _, template: __, ...rest } = wire
  return {
    ...rest,
    *encodeRequest(given: Request, target: UpstreamContext): Steps<Encoded> {
      const encoded = yield* wire.encodeRequest(given, target)
      return encoded.ok && request !== undefined ? { ...encoded, body: request(encoded.body, given, target) } : encoded
    },
    decodeStream(quirks) {
      const machine = wire.decodeStream(quirks)
      if (frame === undefined) return machine
      const { initial } = machine
      return {
        initial,
        step: (state, one) => machine.step(state, frame(one)),
        remainder: (state) => machine.remainder?.(state) ?? 'more',
        end: (state) => machine.end(state),
      }
    },
    decodeBody: (given, quirks): readonly Delta[] => wire.decodeBody(body === undefined ? given : body(given), quirks),
  }
}
