import { runInSteps } from '../../../machine/run.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { runSteps, type Steps } from '../../../text/steps.ts'
import type { EncodeContext } from '../../client-contract.ts'
import { lineHeadOf, lineParts, toLine } from './stream.ts'

/** Encodes deltas as one line: the messages of the stream joined into one, with the fields of the last line. */
export const encodeBody = (deltas: readonly Delta[], context: EncodeContext): JsonObject =>
  runSteps(encodeBodyInSteps(deltas, context))

/** Like `encodeBody`, in slices. */
export function* encodeBodyInSteps(deltas: readonly Delta[], context: EncodeContext): Steps<JsonObject> {
  const parts = yield* runInSteps(lineParts, deltas)
  const named = deltas.findLast((delta) => delta.kind === 'start')
  const head = lineHeadOf(context, named?.model ?? '')
  const pieces = parts.flatMap((it) => (it.kind === 'message' ? [it] : []))
  const done = parts.find((it) => it.kind === 'done') ?? ({ kind: 'done', reason: 'stop', usage: null } as const)
  const thinking = pieces.map((it) => it.message.thinking ?? '').join('')
  const calls = pieces.flatMap((it) => it.message.tool_calls ?? [])
  const images = pieces.flatMap((it) => it.message.images ?? [])
  const logprobs = pieces.flatMap((it) => it.logprobs ?? [])
  const message = {
    role: 'assistant',
    content: pieces.map((it) => it.message.content ?? '').join(''),
    ...(thinking === '' ? {} : { thinking }),
    ...(images.length === 0 ? {} : { images }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return {
    ...toLine(done, head),
    message,
    ...(logprobs.length === 0 ? {} : { logprobs: logprobs as unknown as Json }),
  }
}
