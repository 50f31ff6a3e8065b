import type { Frame } from '../../framing/frame.ts'
import type { Machine, Step } from '../../machine/machine.ts'
import { runInSteps } from '../../machine/run.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { quote } from '../../text/json.ts'
import { finish, type Steps } from '../../text/steps.ts'
import type { Answering } from '../client.ts'
import { gather } from './encode-body.ts'
import { toErrorObject } from './errors.ts'
import { toSettings } from './settings.ts'
import { type TellState, type Told, tell } from './tell.ts'
import { toChatUsage } from './usage.ts'

const DONE: Frame = { event: '', data: '[DONE]' }

const json = (value: unknown): string => JSON.stringify(value)

/** Creates a writer of chunks that share one head. */
function openWriter({ id, created_at, model: asked, settings }: Answering): (told: Told, model: string) => Frame {
  const before = `{"id":${quote(`chatcmpl-${id}`)},"object":"chat.completion.chunk","created":${created_at},"model":`
  // If the client requested usage, every chunk has the field.
  const after = toSettings(settings).usage ? ',"usage":null}' : '}'
  const chunk = (model: string, rest: string): Frame => ({
    event: '',
    data: `${before}${quote(model === '' ? asked : model)},${rest}`,
  })
  const choice = (model: string, delta: string, logprobs: string, finish: string): Frame =>
    chunk(model, `"choices":[{"index":0,"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}}]${after}`)
  return (told, model) => {
    switch (told.kind) {
      case 'delta': {
        const logprobs = told.logprobs === null ? 'null' : json({ content: told.logprobs, refusal: null })
        return choice(model, json(told.delta), logprobs, 'null')
      }
      case 'finish':
        return choice(model, '{}', 'null', quote(told.word))
      case 'usage':
        return chunk(model, `"choices":[],"usage":${json(toChatUsage(told.usage))}}`)
      case 'error':
        return { event: '', data: json({ error: toErrorObject(told.error) }) }
    }
  }
}

/**
 * Encodes deltas as chat completion chunks. An error is written in OpenAI's format and is the last frame: `[DONE]`
 * would mark the answer as complete.
 */
export function encodeStream(answering: Answering): Machine<TellState, Delta, Frame> {
  const settings = toSettings(answering.settings)
  const telling = tell(answering.open, settings)
  const write = openWriter(answering)
  const isSpoken = (told: Told): boolean => told.kind !== 'usage' || settings.usage
  return {
    initial: telling.initial,

    step(state, delta): Step<TellState, Frame> {
      const { state: next, events } = telling.step(state, delta)
      return { state: next, events: events.map((told) => write(told, next.story.model)) }
    },

    end(state) {
      const told = telling.end(state)
      const frames = told.filter(isSpoken).map((it) => write(it, state.story.model))
      return told.length === 0 ? frames : [...frames, DONE]
    },
  }
}

/** Encodes a whole completion by joining the output of its stream. */
export const encodeBody = (deltas: readonly Delta[], answering: Answering): JsonObject =>
  finish(encodeBodyInSteps(deltas, answering))

/** The same in slices. */
export function* encodeBodyInSteps(deltas: readonly Delta[], answering: Answering): Steps<JsonObject> {
  const told = yield* runInSteps(tell(answering.open, toSettings(answering.settings)), deltas)
  const { message, logprobs, finish, usage } = gather(told)
  const named = deltas.findLast((delta) => delta.kind === 'start')
  return {
    id: `chatcmpl-${answering.id}`,
    object: 'chat.completion',
    created: answering.created_at,
    model: named?.model || answering.model,
    choices: [{ index: 0, message, logprobs: logprobs as unknown as Json, finish_reason: finish }],
    ...(usage === null ? {} : { usage: toChatUsage(usage) }),
  }
}
