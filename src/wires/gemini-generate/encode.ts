import type { Frame } from '../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../machine/machine.ts'
import { pipe } from '../../machine/pipe.ts'
import { runInSteps } from '../../machine/run.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { finish, type Steps } from '../../text/steps.ts'
import type { Answering } from '../client.ts'
import { joinChunks } from './encode-body.ts'
import { encodeChunks } from './encode-chunks.ts'
import type { GenerateContentResponse } from './wire.ts'

/** The form with `alt=sse`: one event for each chunk, without a name. No frame marks the end. */
const asEvents: Machine<null, GenerateContentResponse, Frame> = {
  initial: null,
  step: (state, chunk) => ({ state, events: [{ event: '', data: JSON.stringify(chunk) }] }),
  end: () => NOTHING,
}

/**
 * The form without `alt=sse`: one array. The joined data of all frames is the body. The state: whether it has begun.
 */
const asArray: Machine<boolean, GenerateContentResponse, Frame> = {
  initial: false,
  step: (begun, chunk): Step<boolean, Frame> => ({
    state: true,
    events: [{ event: '', data: `${begun ? ',\r\n' : '['}${JSON.stringify(chunk)}` }],
  }),
  end: (begun) => [{ event: '', data: begun ? ']' : '[]' }],
}

/** Encodes deltas as frames. `settings.array` selects the form without events. */
export const encodeStream = (answering: Answering): Machine<unknown, Delta, Frame> =>
  answering.settings.array === true
    ? (pipe(encodeChunks(answering), asArray) as Machine<unknown, Delta, Frame>)
    : (pipe(encodeChunks(answering), asEvents) as Machine<unknown, Delta, Frame>)

/** Encodes deltas as one body, with the content that the stream would have. */
export const encodeBody = (deltas: readonly Delta[], answering: Answering): JsonObject =>
  finish(encodeBodyInSteps(deltas, answering))

/** Like `encodeBody`, in slices. */
export function* encodeBodyInSteps(deltas: readonly Delta[], answering: Answering): Steps<JsonObject> {
  return joinChunks(yield* runInSteps(encodeChunks(answering), deltas)) as unknown as JsonObject
}
