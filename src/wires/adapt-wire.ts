import type { Frame } from '../framing/frame.ts'
import type { Delta } from '../protocol/delta.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Request } from '../protocol/request.ts'
import { isObject } from '../text/json.ts'
import type { Steps } from '../text/steps.ts'
import { checkOptions, checkProtocol } from '../validation/arguments.ts'
import type { Encoded, UpstreamContext, Wire } from './contract.ts'
import { withMethods } from './with-methods.ts'

/** A difference of a vendor from the others of its wire, given by a program. */
export interface WireChanges {
  /** Changes the body of a request. The same object: nothing to change. */
  readonly request?: (body: JsonObject, request: Request, target: UpstreamContext) => JsonObject
  /** Changes a frame of a stream before it is decoded. The same object: nothing to change. */
  readonly frame?: (frame: Frame) => Frame
  /** Changes a whole body before it is decoded. */
  readonly body?: (body: unknown) => unknown
}

const CHANGES = ['request', 'frame', 'body']

/**
 * A wire with a difference that no quirk has, under the same name. Requests and answers of its own clients are translated
 * as well, because the client's own body does not have the difference.
 */
export function adaptWire(wire: Wire, changes: WireChanges): Wire {
  checkProtocol(wire, 'wire', 'a wire, such as openaiChat', ['decodeStream', 'encodeRequest'])
  checkOptions(changes, CHANGES, 'changes')
  const { request, frame, body } = changes
  const { passthrough: _, template: __, ...rest } = withMethods(wire)
  return {
    ...rest,
    isAdapted: true,
    *encodeRequest(given: Request, target: UpstreamContext): Steps<Encoded> {
      const encoded = yield* wire.encodeRequest(given, target)
      if (!encoded.ok || request === undefined) return encoded
      const changed = request(encoded.body, given, target)
      if (!isObject(changed)) throw new TypeError('changes.request: the function returned no body')
      return { ...encoded, body: changed }
    },
    decodeStream(quirks) {
      const machine = wire.decodeStream(quirks)
      if (frame === undefined) return machine
      const { initial } = machine
      return {
        initial,
        step: (state, one) => machine.step(state, frame(one)),
        remainder: (state) => machine.remainder?.(state) ?? 'more',
        held: (state) => machine.held?.(state) ?? 0,
        end: (state) => machine.end(state),
      }
    },
    decodeBody: (given, quirks): readonly Delta[] => wire.decodeBody(body === undefined ? given : body(given), quirks),
  }
}
