import type { Frame } from '../../../framing/frame.ts'
import type { Machine, Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { quote } from '../../../text/json.ts'
import type { EncodeContext } from '../../client-contract.ts'
import { toErrorObject } from '../errors.ts'
import { toChatServed, toChatUsage } from '../usage.ts'
import { type ChunkPart, encodeParts } from './chunk-parts.ts'
import type { EncoderState } from './state.ts'
import { toStreamSettings } from './stream-settings.ts'

const DONE: Frame = { event: '', data: '[DONE]' }

const json = (value: unknown): string => JSON.stringify(value)

/** The members of an object as JSON, each after a comma. */
const membersOf = (fields: JsonObject): string =>
  Object.entries(fields)
    .map(([name, value]) => `,${quote(name)}:${json(value)}`)
    .join('')

/** Creates a writer of chunks that share one head. */
function createChunkWriter({
  id,
  created_at,
  model: requestedModel,
  settings,
}: EncodeContext): (part: ChunkPart, model: string) => Frame {
  const before = `{"id":${quote(`chatcmpl-${id}`)},"object":"chat.completion.chunk","created":${created_at},"model":`
  // If the client requested usage, every chunk has the field.
  const after = toStreamSettings(settings).usage ? ',"usage":null}' : '}'
  const chunk = (model: string, rest: string): Frame => ({
    event: '',
    data: `${before}${quote(model === '' ? requestedModel : model)},${rest}`,
  })
  const choice = (model: string, delta: string, logprobs: string, finish: string, rest = '', beside = ''): Frame =>
    chunk(
      model,
      `"choices":[{"index":0,"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}${rest}}]${beside}${after}`,
    )
  return (part, model) => {
    switch (part.kind) {
      case 'delta': {
        const logprobs = part.logprobs === null ? 'null' : json({ content: part.logprobs, refusal: null })
        return choice(model, json(part.delta), logprobs, 'null')
      }
      case 'finish': {
        const { answer, choice: own } = toChatServed(part.served)
        return choice(model, '{}', 'null', quote(part.word), membersOf(own), membersOf(answer))
      }
      case 'usage':
        return chunk(model, `"choices":[],"usage":${json(toChatUsage(part.usage))}}`)
      case 'error':
        return { event: '', data: json({ error: toErrorObject(part.error) }) }
    }
  }
}

/**
 * Encodes deltas as chat completion chunks. An error is written in OpenAI's format and is the last frame: `[DONE]`
 * would mark the answer as complete.
 */
export function encodeStream(context: EncodeContext): Machine<EncoderState, Delta, Frame> {
  const settings = toStreamSettings(context.settings)
  const machine = encodeParts(context, settings)
  const write = createChunkWriter(context)
  const isWritten = (part: ChunkPart): boolean => part.kind !== 'usage' || settings.usage
  return {
    initial: machine.initial,

    step(state, delta): Step<EncoderState, Frame> {
      const { state: next, events } = machine.step(state, delta)
      return { state: next, events: events.map((part) => write(part, next.progress.model)) }
    },

    end(state) {
      const parts = machine.end(state)
      const frames = parts.filter(isWritten).map((it) => write(it, state.progress.model))
      return parts.length === 0 ? frames : [...frames, DONE]
    },
  }
}
