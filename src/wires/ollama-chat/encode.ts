import type { Frame } from '../../framing/frame.ts'
import type { Machine, Step } from '../../machine/machine.ts'
import { runInSteps } from '../../machine/run.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import type { Usage } from '../../protocol/usage.ts'
import { formatJson } from '../../text/json.ts'
import { finish, type Steps } from '../../text/steps.ts'
import type { Answering } from '../client.ts'
import { toErrorLine } from './errors.ts'
import { type TellState, type Told, telling } from './tell.ts'
import { DONE_WORDS } from './terms.ts'

/** Returns the counts of the last line, without those that are unknown. */
function counts(usage: Usage | null): JsonObject {
  const { input_tokens: input = null, output_tokens: output = null } = usage ?? {}
  return {
    ...(input === null ? {} : { prompt_eval_count: input }),
    ...(output === null ? {} : { eval_count: output }),
  }
}

interface Head {
  readonly model: string
  readonly created_at: string
}

const headOf = ({ model, created_at }: Answering, named: string): Head => ({
  model: named === '' ? model : named,
  created_at: new Date(created_at * 1000).toISOString(),
})

function toLine(told: Told, head: Head): JsonObject {
  switch (told.kind) {
    case 'message': {
      const logprobs = told.logprobs === null ? {} : { logprobs: told.logprobs as unknown as Json }
      return { ...head, message: { role: 'assistant', content: '', ...told.said }, ...logprobs, done: false }
    }
    case 'done':
      return {
        ...head,
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: DONE_WORDS[told.reason],
        ...counts(told.usage),
      }
    case 'error':
      return toErrorLine(told.error)
  }
}

/** Encodes deltas as lines. A failure is the last line. A stream without a `done` line was cut off. */
export function encodeStream(answering: Answering): Machine<TellState, Delta, Frame> {
  const write = (told: readonly Told[], model: string): readonly Frame[] =>
    told.map((one) => ({ event: '', data: formatJson(toLine(one, headOf(answering, model))) }))
  return {
    initial: telling.initial,

    step(state, delta): Step<TellState, Frame> {
      const { state: next, events } = telling.step(state, delta)
      return { state: next, events: write(events, next.model) }
    },

    end: (state) => write(telling.end(state), state.model),
  }
}

/** Encodes deltas as one line: the messages of the stream joined into one, with the fields of the last line. */
export const encodeBody = (deltas: readonly Delta[], answering: Answering): JsonObject =>
  finish(encodeBodyInSteps(deltas, answering))

/** Like `encodeBody`, in slices. */
export function* encodeBodyInSteps(deltas: readonly Delta[], answering: Answering): Steps<JsonObject> {
  const told = yield* runInSteps(telling, deltas)
  const named = deltas.findLast((delta) => delta.kind === 'start')
  const head = headOf(answering, named?.model ?? '')
  const pieces = told.flatMap((it) => (it.kind === 'message' ? [it] : []))
  const done = told.find((it) => it.kind === 'done') ?? ({ kind: 'done', reason: 'stop', usage: null } as const)
  const thinking = pieces.map((it) => it.said.thinking ?? '').join('')
  const calls = pieces.flatMap((it) => it.said.tool_calls ?? [])
  const images = pieces.flatMap((it) => it.said.images ?? [])
  const logprobs = pieces.flatMap((it) => it.logprobs ?? [])
  const message = {
    role: 'assistant',
    content: pieces.map((it) => it.said.content ?? '').join(''),
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
