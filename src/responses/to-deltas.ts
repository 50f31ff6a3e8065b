import { mapDelete, mapGet, mapSet, type SortedMap } from '../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { CallDelta, ContentDelta, Delta, FinishReason, HostedDelta } from '../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { usualStatus } from '../protocol/error-codes.ts'
import type { Event, EventOf } from '../protocol/event.ts'
import { type CallItem, type FunctionCallItem, type HostedItem, type Item, toOrigin } from '../protocol/item.ts'
import type { Annotation } from '../protocol/part.ts'
import type { Response } from '../protocol/response.ts'
import type { Served } from '../protocol/served.ts'
import { isCutOff } from './call-arguments.ts'

interface ToDeltasState {
  /** The model that was named last. */
  readonly model: string | null
  /** The failure that an `error` event reported. */
  readonly error: GatewayError | null
  /** The ids of open items, each with whether its web search has completed. */
  readonly open: SortedMap<string, boolean>
  /** The open item that is not held yet. When another item begins, all open items are held. */
  readonly unheld: string | null
}

/**
 * The inverse of `respond`: events of the Responses API → deltas, in order. Keys are item ids, parts are indices, and
 * an opaque payload is the `encrypted_content` itself, so that `respond` with a seal that returns its payload unchanged
 * emits the same events again.
 *
 * Known limitation: a reasoning item with only encrypted content, inside which other items begin or continue, begins
 * later than in the original stream, because its content is known only when it is done. It begins with its first text,
 * or when it is done.
 *
 * An item that begins or ends costs O(log n) for n open items, any other event O(1).
 */
export const eventsToDeltas: Machine<ToDeltasState, Event, Delta> = {
  initial: { model: null, error: null, open: null, unheld: null },

  step(state, event): Step<ToDeltasState, Delta> {
    switch (event.type) {
      case 'output_text.delta':
        return emit(state, {
          ...content(event, 'text', event.delta),
          logprobs: event.logprobs.length > 0 ? event.logprobs : null,
        })
      case 'refusal.delta':
        return emit(state, content(event, 'refusal', event.delta))
      case 'reasoning_text.delta':
        return emit(state, content(event, 'reasoning', event.delta))
      case 'reasoning_summary_text.delta':
        return emit(state, { ...content(event, 'summary', event.delta), part: `${event.summary_index}` })
      case 'function_call_arguments.delta':
        return emit(state, call(event.item_id, 'function_call', event.delta))
      case 'custom_tool_call_input.delta':
        return emit(state, call(event.item_id, 'custom_tool_call', event.delta))
      case 'output_text.annotation.added':
        return emit(state, citation(event.item_id, event.content_index, event.annotation))
      case 'output_item.added':
        return applyAdded(state, event.item)
      case 'item.progress':
        return emit(state, { kind: 'progress', key: event.item_id, name: event.name, fields: event.fields })
      case 'web_search_call.completed':
        return { state: applySearched(state, event.item_id), events: NOTHING }
      case 'output_item.done':
        return applyDone(state, event.item)
      case 'created':
        return startDeltas(state, event)
      case 'in_progress':
        return applyModel(state, event.response)
      case 'error':
        return { state: { ...state, error: toError(event) }, events: NOTHING }
      case 'completed':
      case 'incomplete':
      case 'failed': {
        const named = applyModel(state, event.response)
        return {
          state: named.state,
          events: [...named.events, ...servedDeltas(event), ...ending(state, event.response)],
        }
      }
      default:
        return { state, events: NOTHING }
    }
  },

  end: () => NOTHING,
}

const emit = (state: ToDeltasState, delta: Delta): Step<ToDeltasState, Delta> => ({ state, events: [delta] })

const applySearched = (state: ToDeltasState, id: string): ToDeltasState =>
  mapGet(state.open, id) === undefined ? state : { ...state, open: mapSet(state.open, id, true) }

// ---------------------------------------------------------------- content, calls, citations

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
  // A file citation of OpenAI has one position, the end of the cited text.
  const {
    file_id,
    filename,
    index: end,
    start_index: start = Math.max(end - 1, 0),
    content: excerpt,
    place,
  } = annotation
  const span = { start, end, unit: 'utf16' } as const
  const file = place === undefined ? { file_id, filename } : { file_id, filename, place }
  return {
    kind: 'citation',
    key,
    part,
    citation: { ...at, url: '', title: null, content: excerpt ?? null, span, file },
  }
}

// ---------------------------------------------------------------- items

const isHosted = (item: Item): item is HostedItem => 'fields' in item

/**
 * All items that are open now stay open when this item begins. A call that begins while others are open is held at
 * once, so that it begins before its arguments arrive.
 */
function applyAdded(state: ToDeltasState, item: Item): Step<ToDeltasState, Delta> {
  const others = state.unheld === null ? NOTHING : [hold(state.unheld)]
  const words = opening(item)
  const held = words.length > 0 && state.open !== null
  return {
    state: { ...state, open: mapSet(state.open, item.id, false), unheld: held ? null : item.id },
    events: [...others, ...phaseDeltas(item), ...words, ...(held ? [hold(item.id)] : NOTHING)],
  }
}

const phaseDeltas = (item: Item): readonly Delta[] =>
  item.type === 'message' && item.phase !== undefined ? [{ kind: 'phase', key: item.id, phase: item.phase }] : NOTHING

const hold = (key: string): Delta => ({ kind: 'hold', key })

function opening(item: Item): readonly Delta[] {
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call':
      return [{ ...call(item.id, item.type, ''), callId: item.call_id, name: item.name, ...detailsOf(item) }]
    default:
      return isHosted(item) ? [hosted(item, false)] : NOTHING
  }
}

const detailsOf = ({ namespace, caller, async }: CallItem): Pick<CallDelta, 'namespace' | 'origin'> => ({
  ...(namespace === undefined ? {} : { namespace }),
  ...(caller === undefined && async === undefined ? {} : { origin: toOrigin({ caller, async }) }),
})

const hosted = (item: HostedItem, done: boolean): HostedDelta => ({ kind: 'hosted', key: item.id, item, done })

function applyDone(state: ToDeltasState, item: Item): Step<ToDeltasState, Delta> {
  const unheld = state.unheld === item.id ? null : state.unheld
  return {
    state: { ...state, open: mapDelete(state.open, item.id), unheld },
    events: closing(item, mapGet(state.open, item.id) === true),
  }
}

/** Returns the deltas of content that is known only when the item is done, and the end of the item. */
function closing(item: Item, searched: boolean): readonly Delta[] {
  const stop = { kind: 'stop', key: item.id } as const
  if (item.type === 'reasoning') {
    const payload = item.encrypted_content
    return payload === null ? [stop] : [{ kind: 'opaque', key: item.id, payload }, stop]
  }
  if (!isHosted(item)) {
    const cut = item.type === 'function_call' ? isCutCall(item) : item.status === 'incomplete'
    return [...phaseDeltas(item), cut ? { ...stop, cut: true } : stop]
  }
  const cut = UNFINISHED.has(item.status) || (item.type === 'web_search_call' && !searched)
  return cut ? [hosted(item, false), { ...stop, cut: true }] : [hosted(item, true), stop]
}

/** Arguments that are no JSON were not cut off: the call is reported, and the client refuses it. */
const isCutCall = ({ status, arguments: text }: FunctionCallItem): boolean =>
  isCutOff(text) || (status === 'incomplete' && text.trim() === '')

/** Statuses that a finished hosted item has only if the answer ended inside it. */
const UNFINISHED: ReadonlySet<string> = new Set(['in_progress', 'incomplete'])

// ---------------------------------------------------------------- response

function startDeltas(state: ToDeltasState, event: EventOf<'created'>): Step<ToDeltasState, Delta> {
  const { state: next, events } = applyModel(state, event.response)
  return { state: next, events: [...servedDeltas(event), ...usageOf(event.response), ...events] }
}

const servedDeltas = ({ served }: { readonly served?: Served }): readonly Delta[] =>
  served === undefined ? NOTHING : [{ kind: 'served', served }]

const usageOf = ({ usage }: Response): readonly Delta[] => (usage === null ? NOTHING : [{ kind: 'usage', usage }])

function applyModel(state: ToDeltasState, { model }: Response): Step<ToDeltasState, Delta> {
  return model === state.model
    ? { state, events: NOTHING }
    : { state: { ...state, model }, events: [{ kind: 'start', model }] }
}

const toFailure = (code: string, message: string): GatewayError => upstreamError(code, message, usualStatus(code, 502))

const toError = ({ code, message, param }: EventOf<'error'>): GatewayError => ({ ...toFailure(code, message), param })

function ending(state: ToDeltasState, response: Response): readonly Delta[] {
  const usage = usageOf(response)
  if (response.status === 'failed') {
    const { code = 'server_error', message = '' } = response.error ?? {}
    return [...usage, { kind: 'error', error: state.error ?? toFailure(code, message) }]
  }
  const reason: FinishReason = response.incomplete_details?.reason ?? 'stop'
  return [...usage, { kind: 'finish', reason }]
}
