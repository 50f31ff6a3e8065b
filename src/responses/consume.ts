import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { CallDelta, ContentDelta, Delta, FinishReason } from '../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { Event, EventOf } from '../protocol/event.ts'
import type { HostedItem, Item } from '../protocol/item.ts'
import type { Annotation } from '../protocol/part.ts'
import type { Response } from '../protocol/response.ts'

/** The model that was named last, and the failure that an `error` event told of. */
export interface ConsumeState {
  readonly model: string
  readonly error: GatewayError | null
}

/**
 * The way back: events of the Responses API → deltas, in order. Keys are item ids, parts are indices, and an opaque
 * payload is the `encrypted_content` itself: `respond` with a seal that leaves it as it is says the same events again.
 */
export const consume: Machine<ConsumeState, Event, Delta> = {
  initial: { model: '', error: null },

  step(state, event): Step<ConsumeState, Delta> {
    switch (event.type) {
      case 'output_text.delta':
        return say(state, {
          ...content(event, 'text', event.delta),
          logprobs: event.logprobs.length > 0 ? event.logprobs : null,
        })
      case 'refusal.delta':
        return say(state, content(event, 'refusal', event.delta))
      case 'reasoning_text.delta':
        return say(state, content(event, 'reasoning', event.delta))
      case 'reasoning_summary_text.delta':
        return say(state, { ...content(event, 'summary', event.delta), part: `${event.summary_index}` })
      case 'function_call_arguments.delta':
        return say(state, call(event.item_id, 'function_call', event.delta))
      case 'custom_tool_call_input.delta':
        return say(state, call(event.item_id, 'custom_tool_call', event.delta))
      case 'output_text.annotation.added':
        return say(state, citation(event.item_id, event.content_index, event.annotation))
      case 'output_item.added':
        return { state, events: added(event.item) }
      case 'output_item.done':
        return { state, events: [...sealOf(event.item), { kind: 'stop', key: event.item.id }] }
      case 'created':
      case 'in_progress':
        return hearModel(state, event.response)
      case 'error':
        return { state: { ...state, error: toError(event) }, events: NOTHING }
      case 'completed':
      case 'incomplete':
      case 'failed':
        return { state, events: [...hearModel(state, event.response).events, ...ending(state, event.response)] }
      default:
        return { state, events: NOTHING }
    }
  },

  end: () => NOTHING,
}

const say = (state: ConsumeState, delta: Delta): Step<ConsumeState, Delta> => ({ state, events: [delta] })

const content = (
  { item_id, content_index = 0 }: { readonly item_id: string; readonly content_index?: number },
  kind: ContentDelta['kind'],
  text: string,
): ContentDelta => ({ kind, key: item_id, part: `${content_index}`, text, logprobs: null })

const call = (key: string, type: CallDelta['type'], args: string): CallDelta => ({
  kind: 'call',
  key,
  type,
  callId: null,
  name: null,
  arguments: args,
})

function citation(key: string, index: number, annotation: Annotation): Delta {
  const none = { url: '', title: null, content: null, marker: null }
  const it =
    annotation.type === 'url_citation'
      ? {
          ...none,
          url: annotation.url,
          title: annotation.title,
          content: annotation.content,
          span: { start: annotation.start_index, end: annotation.end_index, unit: 'utf16' as const },
        }
      : {
          ...none,
          span: { start: annotation.index, end: annotation.index, unit: 'utf16' as const },
          file: { file_id: annotation.file_id, filename: annotation.filename },
        }
  return { kind: 'citation', key, part: `${index}`, citation: it }
}

const isHosted = (item: Item): item is HostedItem => 'fields' in item

function added(item: Item): readonly Delta[] {
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call':
      return [{ ...call(item.id, item.type, ''), callId: item.call_id, name: item.name }]
    default:
      return isHosted(item) ? [{ kind: 'hosted', key: item.id, item, done: false }] : NOTHING
  }
}

/** What is known of an item only when it is done. */
function sealOf(item: Item): readonly Delta[] {
  if (item.type === 'reasoning') {
    const payload = item.encrypted_content
    return payload === null ? NOTHING : [{ kind: 'opaque', key: item.id, payload }]
  }
  return isHosted(item) ? [{ kind: 'hosted', key: item.id, item, done: true }] : NOTHING
}

function hearModel(state: ConsumeState, { model }: Response): Step<ConsumeState, Delta> {
  return model === state.model
    ? { state, events: NOTHING }
    : { state: { ...state, model }, events: [{ kind: 'start', model }] }
}

const toError = ({ code, message }: EventOf<'error'>): GatewayError => upstreamError(code, message)

function ending(state: ConsumeState, response: Response): readonly Delta[] {
  const usage: readonly Delta[] = response.usage === null ? NOTHING : [{ kind: 'usage', usage: response.usage }]
  if (response.status === 'failed') {
    const { code = 'server_error', message = '' } = response.error ?? {}
    return [...usage, { kind: 'error', error: state.error ?? upstreamError(code, message) }]
  }
  const reason: FinishReason = response.incomplete_details?.reason ?? 'stop'
  return [...usage, { kind: 'finish', reason }]
}
