import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import { mapDelete, mapGet, mapSet, type SortedMap } from '../machine/sorted-map.ts'
import type { CallDelta, ContentDelta, Delta, FinishReason, HostedDelta } from '../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { usualStatus } from '../protocol/error-codes.ts'
import type { Event, EventOf } from '../protocol/event.ts'
import type { HostedItem, Item } from '../protocol/item.ts'
import type { Annotation } from '../protocol/part.ts'
import type { Response } from '../protocol/response.ts'
import { toArgumentObject } from './call-arguments.ts'

export interface ConsumeState {
  /** The one that was named last. */
  readonly model: string | null
  /** The failure that an `error` event told of. */
  readonly error: GatewayError | null
  /** The ids of items that have begun and are not done, and whether the web search of each has come to its end. */
  readonly open: SortedMap<string, boolean>
  /** The one that is not held yet: when another begins, all that are open are. */
  readonly unheld: string | null
}

/**
 * The way back: events of the Responses API → deltas, in order. Keys are item ids, parts are indices, and an opaque
 * payload is the `encrypted_content` itself: `respond` with a seal that leaves it as it is says the same events again.
 * One thing cannot be told twice in the same place: an item of sealed thoughts inside which others begin or go on before
 * it has said a word. What is in it is known only when it is done, so that it begins with its first word, or there.
 * An item that begins or ends costs O(log n) for n that are open, any other event O(1).
 */
export const consume: Machine<ConsumeState, Event, Delta> = {
  initial: { model: null, error: null, open: null, unheld: null },

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
        return hearAdded(state, event.item)
      case 'web_search_call.completed':
        return { state: hearSearched(state, event.item_id), events: NOTHING }
      case 'output_item.done':
        return hearDone(state, event.item)
      case 'created':
        return startDeltas(state, event.response)
      case 'in_progress':
        return hearModel(state, event.response)
      case 'error':
        return { state: { ...state, error: toError(event) }, events: NOTHING }
      case 'completed':
      case 'incomplete':
      case 'failed': {
        const named = hearModel(state, event.response)
        return { state: named.state, events: [...named.events, ...ending(state, event.response)] }
      }
      default:
        return { state, events: NOTHING }
    }
  },

  end: () => NOTHING,
}

const say = (state: ConsumeState, delta: Delta): Step<ConsumeState, Delta> => ({ state, events: [delta] })

const hearSearched = (state: ConsumeState, id: string): ConsumeState =>
  mapGet(state.open, id) === undefined ? state : { ...state, open: mapSet(state.open, id, true) }

// ---------------------------------------------------------------- pieces

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
  const part = `${index}`
  const at = { marker: null, settled: true } as const
  if (annotation.type === 'url_citation') {
    const { url, title, content, start_index: start, end_index: end } = annotation
    return {
      kind: 'citation',
      key,
      part,
      citation: { ...at, url, title, content, span: { start, end, unit: 'utf16' } },
    }
  }
  // A file is cited at one point, the end of what it is about.
  const { file_id, filename, index: end } = annotation
  const span = { start: Math.max(end - 1, 0), end, unit: 'utf16' } as const
  return {
    kind: 'citation',
    key,
    part,
    citation: { ...at, url: '', title: null, content: null, span, file: { file_id, filename } },
  }
}

// ---------------------------------------------------------------- items

const isHosted = (item: Item): item is HostedItem => 'fields' in item

/** Whatever is open now outlasts the beginning of this item; a call that is not alone begins before its arguments. */
function hearAdded(state: ConsumeState, item: Item): Step<ConsumeState, Delta> {
  const others = state.unheld === null ? NOTHING : [hold(state.unheld)]
  const words = opening(item)
  const held = words.length > 0 && state.open !== null
  return {
    state: { ...state, open: mapSet(state.open, item.id, false), unheld: held ? null : item.id },
    events: [...others, ...words, ...(held ? [hold(item.id)] : NOTHING)],
  }
}

const hold = (key: string): Delta => ({ kind: 'hold', key })

function opening(item: Item): readonly Delta[] {
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call':
      return [{ ...call(item.id, item.type, ''), callId: item.call_id, name: item.name }]
    default:
      return isHosted(item) ? [hosted(item, false)] : NOTHING
  }
}

const hosted = (item: HostedItem, done: boolean): HostedDelta => ({ kind: 'hosted', key: item.id, item, done })

function hearDone(state: ConsumeState, item: Item): Step<ConsumeState, Delta> {
  const unheld = state.unheld === item.id ? null : state.unheld
  return {
    state: { ...state, open: mapDelete(state.open, item.id), unheld },
    events: closing(item, mapGet(state.open, item.id) === true),
  }
}

/** What is known of an item only when it is done, and its end. */
function closing(item: Item, searched: boolean): readonly Delta[] {
  const stop = { kind: 'stop', key: item.id } as const
  if (item.type === 'reasoning') {
    const payload = item.encrypted_content
    return payload === null ? [stop] : [{ kind: 'opaque', key: item.id, payload }, stop]
  }
  if (!isHosted(item)) return [item.status === 'incomplete' || isUnusable(item) ? { ...stop, cut: true } : stop]
  const cut = UNFINISHED.has(item.status) || (item.type === 'web_search_call' && !searched)
  return cut ? [hosted(item, false), { ...stop, cut: true }] : [hosted(item, true), stop]
}

/** A call that nobody can make is as good as one that was cut. */
const isUnusable = (item: Item): boolean => item.type === 'function_call' && toArgumentObject(item.arguments) === null

/** What the status of a finished hosted item is only where the answer ended inside it. */
const UNFINISHED: ReadonlySet<string> = new Set(['in_progress', 'incomplete'])

// ---------------------------------------------------------------- the whole

function startDeltas(state: ConsumeState, response: Response): Step<ConsumeState, Delta> {
  const { state: next, events } = hearModel(state, response)
  return { state: next, events: [...usageOf(response), ...events] }
}

const usageOf = ({ usage }: Response): readonly Delta[] => (usage === null ? NOTHING : [{ kind: 'usage', usage }])

function hearModel(state: ConsumeState, { model }: Response): Step<ConsumeState, Delta> {
  return model === state.model
    ? { state, events: NOTHING }
    : { state: { ...state, model }, events: [{ kind: 'start', model }] }
}

const toFailure = (code: string, message: string): GatewayError => upstreamError(code, message, usualStatus(code, 502))

const toError = ({ code, message, param }: EventOf<'error'>): GatewayError => ({ ...toFailure(code, message), param })

function ending(state: ConsumeState, response: Response): readonly Delta[] {
  const usage = usageOf(response)
  if (response.status === 'failed') {
    const { code = 'server_error', message = '' } = response.error ?? {}
    return [...usage, { kind: 'error', error: state.error ?? toFailure(code, message) }]
  }
  const reason: FinishReason = response.incomplete_details?.reason ?? 'stop'
  return [...usage, { kind: 'finish', reason }]
}
