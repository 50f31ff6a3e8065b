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

/** With `alt=sse`: one event a chunk, without a name. Nothing marks the end. */
const asEvents: Machine<null, GenerateContentResponse, Frame> = {
  initial: null,
  step: (state, chunk) => ({ state, events: [{ event: '', data: JSON.stringify(chunk) }] }),
  end: () => NOTHING,
}

/** Without it: one array, in pieces. Joined as they are, the data of its frames are the body; the state is whether it began. */
const asArray: Machine<boolean, GenerateContentResponse, Frame> = {
  initial: false,
  step: (begun, chunk): Step<boolean, Frame> => ({
    state: true,
    events: [{ event: '', data: `${begun ? ',\r\n' : '['}${JSON.stringify(chunk)}` }],
  }),
  end: (begun) => [{ event: '', data: begun ? ']' : '[]' }],
}

/** Deltas → frames. `settings.array` chooses the form that has no events. */
export const encodeStream = (answering: Answering): Machine<unknown, Delta, Frame> =>
  answering.settings.array === true
    ? (pipe(encodeChunks(answering), asArray) as Machine<unknown, Delta, Frame>)
    : (pipe(encodeChunks(answering), asEvents) as Machine<unknown, Delta, Frame>)

/** What the stream says, as one response. */
export const encodeBody = (deltas: readonly Delta[], answering: Answering): JsonObject =>
  finish(encodeBodyInSteps(deltas, answering))

/** The same in slices. */
export function* encodeBodyInSteps(deltas: readonly Delta[], answering: Answering): Steps<JsonObject> {
  return joinChunks(yield* runInSteps(encodeChunks(answering), deltas)) as unknown as JsonObject
}
