import { EMPTY_LIST, listAppend, listOf, listToArray, listWith } from '../machine/list.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import { mapDelete, mapGet, mapKeys, mapSet } from '../machine/sorted-map.ts'
import type {
  CallDelta,
  ContentDelta,
  ContentKind,
  Delta,
  HostedDelta,
  OpaqueDelta,
  StopDelta,
} from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { CallType, ItemStatus, ItemType } from '../protocol/item.ts'
import type { Head } from '../protocol/response.ts'
import { append, BLOCK } from '../text/append.ts'
import { lookup } from '../text/lookup.ts'
import { checkJson } from './call-json.ts'
import { annotateWaiting, applyCitation, applyMark, forgetCitations, keepTexts, takeEarly } from './cite.ts'
import { type Seal, sealReasoning } from './envelope.ts'
import { deltaEvent, isContent, partEvent, textDoneEvent, toPart } from './events.ts'
import { withoutSources } from './hosted-sources.ts'
import { callId, itemId } from './ids.ts'
import { indexAdded, indexDone, lastItem, lastOpen, withRipe } from './item-index.ts'
import { toItem, toResponse } from './items.ts'
import { OWN_ORIGIN } from './own-thoughts.ts'
import { sealThoughts } from './seal-thoughts.ts'
import type { Speech as Words } from './speech.ts'
import {
  addressOf,
  counted,
  type ItemState,
  isKnownLoss,
  itemAt,
  type Live,
  lastPart,
  newPart,
  openingStory,
  type PartState,
  type PendingCall,
  type RespondState,
  type RunType,
  type Story,
  settle,
  withIndex,
  withItem,
  withItems,
  withLoss,
  withPart,
  withParts,
  withTokens,
} from './state.ts'
import { argumentsOf, dropUnplaced, isOpen, isWholeCall, verdict } from './verdict.ts'
import { wrapEnd, wrapPiece } from './wrapped-input.ts'

/** The default seal, for translations whose answers do not come back: its envelopes are bound to no origin. */
const PLAIN_SEAL: Seal = (payload) => sealReasoning(OWN_ORIGIN, payload)

/**
 * The capabilities of a target, and how reasoning is sealed: `seal` if the upstream encrypted it, `sealOwn` if it is
 * readable.
 */
interface Speech extends Words {
  readonly seal: Seal
  readonly sealOwn: Seal
}

/**
 * The Responses API as one pure reducer: deltas in any order → a well-bracketed stream of events.
 *
 * The order, all of it:
 * - `created`, `in_progress`, then items, then exactly one of `completed`, `incomplete`, `failed`.
 * - Text of a new kind or key opens a new item; before it opens, every open item that is complete is done. A message or
 *   a reasoning item is always complete, unless it is held; a call is complete when its arguments are whole JSON. Items
 *   therefore follow one another. Only calls that their upstream really interleaves overlap, and items that the
 *   upstream holds open for more content.
 * - A call is announced when its name is settled: at its first argument, or when anything else happens.
 * - No delta ends the stream. The end of the input does, and `end` then emits everything that is still missing.
 *
 * Cost: a piece of the active part costs O(1), any other delta O(log n) for n items and parts so far and O(k) for its
 * own k characters. A delta that ends a text also costs O(k) for all of that text. No step copies or searches anything
 * that grows with the answer, however many items are open, so that an answer of n characters costs O(n log n) however
 * it is cut.
 */
export function respond(
  head: Head,
  words: Words,
  seal: Seal = PLAIN_SEAL,
  sealOwn: Seal = PLAIN_SEAL,
): Machine<RespondState, Delta, Event> {
  const speech: Speech = { ...words, seal, sealOwn }
  return {
    initial: { live: null, text: '', story: openingStory(head) },

    step(state, delta): Step<RespondState, Event> {
      const { live } = state
      const piece = live === null ? '' : pieceFor(live, delta)
      if (live === null || piece === '') {
        // Many upstreams send usage in every chunk, which must not interrupt the active part. `created` carries usage
        // that arrives before it.
        if (delta.kind === 'usage' && (live !== null || !state.story.created))
          return { state: counted(state, delta.usage), events: NOTHING }
        if (delta.kind === 'loss' && isKnownLoss(state.story, delta.feature)) return { state, events: NOTHING }
        return slowStep(state, delta, speech)
      }
      const { text, story } = state.text.length < BLOCK ? state : told(settle(state), live)
      return {
        state: { live, text: append(text, piece), story },
        events: [deltaEvent(live, piece, null)],
      }
    },

    end(state) {
      const say: Event[] = []
      finish(begin(settle(state), say, speech), say, speech)
      return say
    },
  }
}

/** Returns the text that this delta adds to the active part; empty if the delta does anything else. */
export function pieceFor(live: Live, delta: Delta): string {
  switch (delta.kind) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary':
      return delta.kind === live.kind && delta.key === live.key && delta.part === live.part && delta.logprobs === null
        ? delta.text
        : ''
    case 'call':
      return live.kind === 'call' && delta.key === live.key && delta.callId === null && delta.name === null
        ? delta.arguments
        : ''
    default:
      return ''
  }
}

function slowStep(state: RespondState, delta: Delta, speech: Speech): Step<RespondState, Event> {
  const say: Event[] = []
  const settled = settle(state)
  const story = begin(delta.kind === 'start' ? { ...settled, model: delta.model } : settled, say, speech)
  const next = hear(story, delta, say, speech)
  return { state: next, events: say }
}

// ---------------------------------------------------------------- state

/** Returns the state after a delta: the part that is active then, and the text that the delta has added to it. */
const told = (story: Story, live: Live | null = null, text = ''): RespondState => ({ live, text, story })

function begin(story: Story, say: Event[], { earlyUsage = false }: Speech): Story {
  if (story.created) return story
  const response = { ...toResponse(story, 'in_progress'), usage: earlyUsage ? story.usage : null }
  say.push({ type: 'created', response }, { type: 'in_progress', response })
  return { ...story, created: true }
}

function hear(story: Story, delta: Delta, say: Event[], speech: Speech): RespondState {
  switch (delta.kind) {
    case 'start':
      return told(story)
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary':
      return hearContent(story, delta, say, speech)
    case 'call':
      return hearCall(story, delta, say, speech)
    case 'opaque':
      return told(hearOpaque(story, delta, say, speech))
    case 'mark':
      return told(applyMark(story, delta.key))
    case 'citation':
      return told(applyCitation(story, delta, say, speech))
    case 'hosted':
      return told(hearHosted(story, delta, say, speech))
    case 'hold':
      return told(hearHold(story, delta.key, say, speech))
    case 'stop':
      return told(hearStop(story, delta, say, speech))
    case 'usage':
      return told({ ...story, usage: delta.usage })
    case 'finish':
      return told({ ...story, finish: delta.reason })
    case 'error':
      return told({ ...story, error: story.error ?? delta.error })
    case 'cut':
      return told({ ...story, cut: story.cut ?? delta.error })
    case 'loss':
      return told(withLoss(story, delta.feature))
  }
}

// ---------------------------------------------------------------- opening

interface Opened {
  readonly story: Story
  readonly at: number
}

/** Returns the open item of that type and key, and opens it if there is none; null if the target cannot express it. */
function openItem(story: Story, type: ItemType, key: string, say: Event[], speech: Speech): Opened | null {
  if (!speech.items.includes(type)) return null
  const at = lastOpen(story.index, type, key)
  return at >= 0 ? { story, at } : addItem(announceNamed(story, say, speech), { type, key }, say, speech)
}

function addItem(
  story: Story,
  given: Pick<ItemState, 'type' | 'key'> & Partial<Pick<ItemState, 'parts' | 'call'>>,
  say: Event[],
  speech: Speech,
): Opened {
  const room = closeComplete(story, say, speech)
  const at = room.items.length
  const id = itemId(given.type, room.head.id, at)
  const item: ItemState = {
    type: given.type,
    key: given.key,
    id,
    parts: given.parts ?? EMPTY_LIST,
    names: NOTHING,
    summaries: 0,
    call: given.call ?? null,
    sealed: null,
    hosted: null,
    held: false,
    item: null,
  }
  say.push({
    type: 'output_item.added',
    response_id: room.head.id,
    output_index: at,
    item: toItem(item, 'in_progress'),
  })
  const index = indexAdded(room.index, at, given.type, given.key)
  const before = given.type === 'message' ? lastItem(room.index, 'message', given.key) : -1
  const ready = before < 0 ? room : keepTexts(room, before)
  return { story: withItems(ready, listAppend(ready.items, item), index), at }
}

/**
 * Ends all complete items, because a new one begins only after them. An incomplete item is checked again only after it
 * has grown.
 */
function closeComplete(story: Story, say: Event[], speech: Speech): Story {
  let now = story
  for (const at of mapKeys(story.index.ripe)) now = closeIfComplete(now, at, say, speech)
  return now.index.ripe === null ? now : withIndex(now, withRipe(now.index, null))
}

/** A message or a reasoning item is complete if it is not held; a call is complete when its arguments are whole. */
function closeIfComplete(story: Story, at: number, say: Event[], speech: Speech): Story {
  const item = itemAt(story, at)
  if (item.type === 'message' || item.type === 'reasoning') {
    return item.held ? story : closeItem(story, at, false, say, speech)
  }
  if (item.type !== 'function_call') return story
  const checked = checkArguments(story, at)
  return checked.isWhole ? closeItem(checked.story, at, false, say, speech) : checked.story
}

/** Returns whether the arguments of this call are whole. The state keeps the result until they grow. */
function checkArguments(story: Story, at: number): { readonly story: Story; readonly isWhole: boolean } {
  const part = lastPart(itemAt(story, at)) as PartState
  const json = checkJson(part.json, part.text)
  return {
    story: json === part.json ? story : withPart(story, at, 0, { ...part, json }),
    isWhole: json.whole === true,
  }
}

// ---------------------------------------------------------------- content

const ITEM_OF = {
  text: 'message',
  refusal: 'message',
  reasoning: 'reasoning',
  summary: 'reasoning',
} satisfies Record<ContentKind, ItemType>

function partTypeOf(kind: ContentKind, { parts }: Speech): RunType {
  switch (kind) {
    case 'text':
      return 'output_text'
    case 'refusal':
      return parts.includes('refusal') ? 'refusal' : 'output_text'
    case 'reasoning':
      return parts.includes('reasoning_text') ? 'reasoning_text' : 'summary_text'
    case 'summary':
      return 'summary_text'
  }
}

function hearContent(story: Story, delta: ContentDelta, say: Event[], speech: Speech): RespondState {
  if (delta.text === '') return told(story)
  const open = openItem(story, ITEM_OF[delta.kind], delta.key, say, speech)
  if (open === null) return told(withLoss(story, ITEM_OF[delta.kind]))
  const type = partTypeOf(delta.kind, speech)
  const ready = openPart(open, delta.part, type, say, speech)
  const live = liveAt(ready, open.at, delta.kind, delta.part)
  say.push(deltaEvent(live, delta.text, delta.logprobs))
  return delta.logprobs === null
    ? told(ready, live, delta.text)
    : told(withTokens(ready, live, delta.text, delta.logprobs), live)
}

/** Continues the last part of the item if it has that name and type; otherwise closes it and opens a new one. */
function openPart({ story, at }: Opened, name: string, type: RunType, say: Event[], speech: Speech): Story {
  const last = lastPart(itemAt(story, at))
  if (last !== undefined && last.name === name && last.type === type) return story
  const closed = last === undefined ? story : forgetCitations(closePart(story, at, say, speech), at)
  const item = itemAt(closed, at)
  const isSummary = type === 'summary_text'
  const part = newPart(name, type, isSummary ? item.summaries : item.parts.length - item.summaries)
  const summaries = isSummary ? item.summaries + 1 : item.summaries
  const opened = withItem(closed, at, withParts(item, listAppend(item.parts, part), summaries))
  say.push(partEvent(addressOf(opened, at, part), 'added', toPart(part)))
  return type === 'output_text' ? takeEarly(opened, at, name) : opened
}

function liveAt(story: Story, at: number, kind: Live['kind'], part: string): Live {
  const item = itemAt(story, at)
  const position = item.parts.length - 1
  return { kind, key: item.key, part, position, ...addressOf(story, at, lastPart(item) as PartState) }
}

// ---------------------------------------------------------------- calls

/**
 * If the target has function calls only, a call with free text becomes a function call with that text as its `input`.
 */
const callForm = (type: CallType, { items }: Speech): { readonly type: CallType; readonly wraps: boolean } =>
  type === 'function_call' || items.includes(type) ? { type, wraps: false } : { type: 'function_call', wraps: true }

const isWrapped = ({ call }: ItemState): boolean => call?.wraps === true

function hearCall(story: Story, delta: CallDelta, say: Event[], speech: Speech): RespondState {
  const { type, wraps } = callForm(delta.type, speech)
  if (!speech.items.includes(type)) return told(withLoss(story, delta.type))
  const at = lastItem(story.index, type, delta.key)
  if (at < 0 || isWrapped(itemAt(story, at)) !== wraps) return hearPending(story, delta, say, speech)
  const known = recognise(story, at, delta)
  if (known.isAnother) return hearPending(known.story, delta, say, speech)
  if (delta.arguments === '') return told(known.story)
  if (!isOpen(itemAt(story, at))) {
    return told(delta.arguments.trim() === '' ? story : withLoss(story, 'arguments of a finished call'))
  }
  return appendArguments(known.story, at, delta.arguments, say)
}

/**
 * Some upstreams number every call 0. A delta that names a call under another id begins another call if the first one
 * is done or whole, if the name differs, or if the arguments begin anew.
 */
function recognise(story: Story, at: number, delta: CallDelta): { readonly story: Story; readonly isAnother: boolean } {
  const { callId: id, name } = delta
  const item = itemAt(story, at)
  if (id === null || name === null || id === item.call?.upstreamId) return { story, isAnother: false }
  const isAnother = !isOpen(item) || name !== item.call?.name || delta.arguments.trimStart().startsWith('{')
  if (isAnother || item.type !== 'function_call') return { story, isAnother }
  const checked = checkArguments(story, at)
  return { story: checked.story, isAnother: checked.isWhole }
}

function appendArguments(story: Story, at: number, piece: string, say: Event[]): RespondState {
  const item = itemAt(story, at)
  if (!isWrapped(item)) return appendText(story, at, piece, say)
  // No part becomes active, because its next piece would not be wrapped.
  return told(settle(appendText(story, at, wrapPiece(piece, argumentsOf(item) === ''), say)))
}

function appendText(story: Story, at: number, text: string, say: Event[]): RespondState {
  const live = liveAt(story, at, 'call', '')
  say.push(deltaEvent(live, text, null))
  return told(story, live, text)
}

function hearPending(story: Story, delta: CallDelta, say: Event[], speech: Speech): RespondState {
  const { key } = delta
  const { ids, named, nameless } = story.calls
  const old = named?.key === key ? named : mapGet(nameless, key)
  const call: PendingCall = {
    key,
    type: delta.type,
    callId: old?.callId || (delta.callId ?? ''),
    name: growName(old?.name ?? '', delta.name ?? ''),
    arguments: (old?.arguments ?? '') + delta.arguments,
  }
  const others = { ids, named: old === named ? null : named, nameless: mapDelete(nameless, key) }
  // Another call has begun: the names of the earlier ones are settled.
  const before = announceNamed({ ...story, calls: others }, say, speech)
  const { calls } = before
  if (call.name === '') return told({ ...before, calls: { ...calls, nameless: mapSet(calls.nameless, key, call) } })
  if (call.arguments === '') return told({ ...before, calls: { ...calls, named: call } })
  const { story: after, at } = announce(before, call, say, speech)
  return appendArguments(after, at, call.arguments, say)
}

/** Returns a name with its next piece: names arrive whole, in pieces, repeated, or longer from piece to piece. */
export function growName(name: string, piece: string): string {
  if (piece === '' || piece === name) return name
  return piece.startsWith(name) ? piece : name + piece
}

/** Announces the pending call whose name is known; calls without a name keep waiting. */
function announceNamed(story: Story, say: Event[], speech: Speech): Story {
  const { calls } = story
  const { named } = calls
  return named === null ? story : announce({ ...story, calls: { ...calls, named: null } }, named, say, speech).story
}

/** Returns the name under which the client declared its tool. */
const toName = ({ names = {} }: Head, name: string): { readonly name: string; readonly namespace: string | null } =>
  lookup(names, name) ?? { name, namespace: null }

/** Opens the item of a call, without its arguments. */
function announce(story: Story, call: PendingCall, say: Event[], speech: Speech): Opened {
  const isTaken = call.callId === '' || mapGet(story.calls.ids, call.callId) === true
  const id = isTaken ? callId(story.head.id, story.items.length) : call.callId
  const { type, wraps } = callForm(call.type, speech)
  const own = { callId: id, upstreamId: call.callId, ...toName(story.head, call.name) }
  const { story: added, at } = addItem(
    story,
    {
      type,
      key: call.key,
      parts: listOf([newPart('', type === 'function_call' ? 'arguments' : 'input', 0)]),
      call: wraps ? { ...own, wraps } : own,
    },
    say,
    speech,
  )
  const calls = { ...added.calls, ids: mapSet(added.calls.ids, id, true) }
  return { story: { ...added, calls }, at }
}

// ---------------------------------------------------------------- encrypted content, hosted items, stop

/** A reasoning item may have encrypted content only; an item of another type must be open already. */
function hearOpaque(story: Story, delta: OpaqueDelta, say: Event[], speech: Speech): Story {
  const { key, of = 'reasoning', payload } = delta
  const known = lastOpen(story.index, of, key)
  const open = known < 0 && of !== 'reasoning' ? null : openItem(story, of, key, say, speech)
  if (open === null) return withLoss(story, of)
  const item = itemAt(open.story, open.at)
  return withItem(open.story, open.at, { ...item, sealed: speech.seal(payload) })
}

function hearHosted(story: Story, delta: HostedDelta, say: Event[], speech: Speech): Story {
  const { type } = delta.item
  const known = lastOpen(story.index, type, delta.key)
  const open = openItem(story, type, delta.key, say, speech)
  if (open === null) return withLoss(story, type)
  if (known < 0 && type === 'web_search_call') searchEvents(open, ['in_progress', 'searching'], say)
  const item = itemAt(open.story, open.at)
  const hosted = speech.hidesSources === true ? withoutSources(delta.item) : delta.item
  const next = withItem(open.story, open.at, { ...item, hosted })
  return delta.done ? closeItem(next, open.at, false, say, speech) : next
}

function searchEvents(
  { story, at }: Opened,
  phases: readonly ('in_progress' | 'searching' | 'completed')[],
  say: Event[],
): void {
  const address = { response_id: story.head.id, item_id: itemAt(story, at).id, output_index: at }
  for (const phase of phases) say.push({ type: `web_search_call.${phase}`, ...address })
}

function hearHold(story: Story, key: string, say: Event[], speech: Speech): Story {
  const ready = announceKey(story, key, say, speech)
  const at = lastOpen(ready.index, 'message', key)
  return at < 0 ? ready : withItem(ready, at, { ...itemAt(ready, at), held: true })
}

function hearStop(story: Story, { key, cut = false }: StopDelta, say: Event[], speech: Speech): Story {
  let now = announceKey(story, key, say, speech)
  for (const at of mapKeys(mapGet(now.index.openUnder, key) ?? null)) now = closeItem(now, at, cut, say, speech)
  return now
}

/** Announces the pending call of this key: no further piece of its name can follow. */
const announceKey = (story: Story, key: string, say: Event[], speech: Speech): Story =>
  story.calls.named?.key === key ? announceNamed(story, say, speech) : story

// ---------------------------------------------------------------- closing

/** Ends the last part of an item: places its waiting citations, then emits its whole text and its closing event. */
function closePart(story: Story, at: number, say: Event[], speech: Speech): Story {
  const open = lastPart(itemAt(story, at))
  if (open === undefined) return story
  const cited = open.cited === null ? story : annotateWaiting(story, at, say, speech)
  const item = itemAt(cited, at)
  const part = lastPart(item) as PartState
  const address = addressOf(cited, at, part)
  say.push(textDoneEvent(address, part, item.call?.name ?? ''))
  if (isContent(part.type)) say.push(partEvent(address, 'done', toPart(part)))
  return cited
}

/** `cut`: the answer ended inside this item. */
function closeItem(story: Story, at: number, cut: boolean, say: Event[], speech: Speech): Story {
  const filled = cut ? story : fillArguments(story, at, say)
  const closed = closePart(filled, at, say, speech)
  const item = sealThoughts(itemAt(closed, at), speech.sealsAll === true ? speech.sealOwn : null)
  if (item.type === 'web_search_call' && !cut) searchEvents({ story: closed, at }, ['completed'], say)
  const done = toItem(item, statusOf(item, cut))
  say.push({ type: 'output_item.done', response_id: closed.head.id, output_index: at, item: done })
  const names = item.type === 'message' ? listToArray(item.parts).map(({ name }) => name) : NOTHING
  const over: ItemState = { ...item, parts: EMPTY_LIST, names, hosted: null, item: done }
  return withItems(closed, listWith(closed.items, at, over), indexDone(closed.index, at, item.key))
}

/**
 * Completes the arguments of a call: `{}` if there are none, because every client can parse that, and the end of the
 * object if free text is wrapped.
 */
function fillArguments(story: Story, at: number, say: Event[]): Story {
  const item = itemAt(story, at)
  if (item.type !== 'function_call') return story
  const json = argumentsOf(item)
  const missing = isWrapped(item) ? wrapEnd(json) : json.trim() === '' ? '{}' : ''
  return missing === '' ? story : settle(appendText(story, at, missing, say))
}

/** The status of a function call depends on its arguments alone, not on the end of the whole answer. */
function statusOf(item: ItemState, cut: boolean): ItemStatus {
  if (item.type === 'function_call') return isWholeCall(argumentsOf(item)) ? 'completed' : 'incomplete'
  return cut ? 'incomplete' : 'completed'
}

// ---------------------------------------------------------------- the end

function finish(story: Story, say: Event[], speech: Speech): void {
  const announced = dropUnplaced(announceNamed(story, say, speech))
  const { status, error } = verdict(announced)
  let closed = announced
  for (const at of mapKeys(announced.index.open)) closed = closeItem(closed, at, status !== 'completed', say, speech)
  if (error !== null) {
    const { code, message, param } = error
    say.push({ type: 'error', code, message, param, error: { type: code, code, message, param } })
  }
  say.push({ type: status, response: toResponse({ ...closed, error }, status) })
}
