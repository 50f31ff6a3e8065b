import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type {
  CallDelta,
  Citation,
  CitationDelta,
  ContentDelta,
  ContentKind,
  Delta,
  HostedDelta,
  OpaqueDelta,
  StopDelta,
} from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { ItemStatus, ItemType } from '../protocol/item.ts'
import type { Head } from '../protocol/response.ts'
import { append } from '../text/append.ts'
import { lookup } from '../text/lookup.ts'
import { isDecidable, isWaiting, past, toAnnotations } from './citations.ts'
import { type Seal, sealReasoning } from './envelope.ts'
import { deltaEvent, isContent, partEvent, textDoneEvent, toPart } from './events.ts'
import { callId, itemId } from './ids.ts'
import { toItem, toResponse } from './items.ts'
import type { Speech } from './speech.ts'
import {
  addressOf,
  counted,
  type ItemState,
  type Live,
  lastOf,
  openingStory,
  type PartState,
  type PendingCall,
  type RespondState,
  type RunType,
  runOf,
  type Story,
  settle,
  textBefore,
  withItem,
  withLoss,
  withPart,
} from './state.ts'
import { dropUnplaced, isComplete, isOpen, verdict } from './verdict.ts'

/** Of a translation that nobody asks back: bound to no origin. */
const PLAIN_SEAL: Seal = (payload) => sealReasoning({ wire: '', vendor: '', model: '' }, payload)

/**
 * The Responses API as one pure reducer: deltas in any order → a well-bracketed stream of events.
 *
 * The order, all of it:
 * - `created`, `in_progress`, then items, then exactly one of `completed`, `incomplete`, `failed`.
 * - Text of a new kind or key opens a new item; before it opens, every open item that is complete is done. A message or a
 *   reasoning item always is, a call is when its arguments are whole JSON: so items follow one another, and only calls
 *   that their upstream really interleaves overlap, and items of which it has said that more is to come.
 * - A call is announced when its name is settled: at its first argument, or when anything else happens.
 * - Nothing that an upstream says ends the stream; the end of the stream does, and then pays all debts.
 */
export function respond(head: Head, speech: Speech, seal: Seal = PLAIN_SEAL): Machine<RespondState, Delta, Event> {
  return {
    initial: { live: null, text: '', story: openingStory(head) },

    step(state, delta): Step<RespondState, Event> {
      const { live } = state
      const piece = live === null ? '' : pieceFor(live, delta)
      if (live === null || piece === '') {
        // Many upstreams count in every chunk: that interrupts nothing.
        if (live !== null && delta.kind === 'usage') return { state: counted(state, delta.usage), events: NOTHING }
        return slowStep(state, delta, speech, seal)
      }
      return {
        state: { live, text: append(state.text, piece), story: state.story },
        events: [deltaEvent(live, piece, null)],
      }
    },

    end(state) {
      const say: Event[] = []
      finish(begin(settle(state), say), say, speech)
      return say
    },
  }
}

/** What this delta adds to the live run; empty where it is not just more of the same. */
function pieceFor(live: Live, delta: Delta): string {
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

function slowStep(state: RespondState, delta: Delta, speech: Speech, seal: Seal): Step<RespondState, Event> {
  const say: Event[] = []
  const settled = settle(state)
  const story = begin(delta.kind === 'start' ? { ...settled, model: delta.model } : settled, say)
  const next = hear(story, delta, say, speech, seal)
  return {
    state: { live: next.live, text: next.live === null ? '' : runOf(next.story, next.live).text, story: next.story },
    events: say,
  }
}

// ---------------------------------------------------------------- the story

/** What a delta leads to: the story told on, and the run that is live after it. */
interface Told {
  readonly story: Story
  readonly live: Live | null
}

const told = (story: Story, live: Live | null = null): Told => ({ story, live })

function begin(story: Story, say: Event[]): Story {
  if (story.created) return story
  const response = toResponse(story, 'in_progress')
  say.push({ type: 'created', response }, { type: 'in_progress', response })
  return { ...story, created: true }
}

function hear(story: Story, delta: Delta, say: Event[], speech: Speech, seal: Seal): Told {
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
      return told(hearOpaque(story, delta, say, speech, seal))
    case 'mark':
      return told(hearMark(story, delta.key))
    case 'citation':
      return told(hearCitation(story, delta, say, speech))
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

const findOpen = (story: Story, type: ItemType, key: string): number =>
  story.items.findLastIndex((item) => isOpen(item) && item.type === type && item.key === key)

/** The open item of that type and key, opened where there is none; null where the dialect has no word for it. */
function openItem(story: Story, type: ItemType, key: string, say: Event[], speech: Speech): Opened | null {
  if (!speech.items.includes(type)) return null
  const at = findOpen(story, type, key)
  return at >= 0 ? { story, at } : addItem(announceAll(story, say, speech), { type, key }, say, speech)
}

function addItem(
  story: Story,
  given: Pick<ItemState, 'type' | 'key'> & Partial<ItemState>,
  say: Event[],
  speech: Speech,
): Opened {
  const room = closeComplete(story, say, speech)
  const at = room.items.length
  const id = itemId(given.type, room.head.id, at)
  const item: ItemState = { id, parts: [], call: null, sealed: null, hosted: null, held: false, item: null, ...given }
  say.push({
    type: 'output_item.added',
    response_id: room.head.id,
    output_index: at,
    item: toItem(item, 'in_progress'),
  })
  return { story: { ...room, items: [...room.items, item] }, at }
}

/** A new item may begin only after those that are complete have ended. */
function closeComplete(story: Story, say: Event[], speech: Speech): Story {
  return story.items.reduce(
    (now, item, at) => (isOpen(item) && !item.held && isComplete(item) ? closeItem(now, at, false, say, speech) : now),
    story,
  )
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

function hearContent(story: Story, delta: ContentDelta, say: Event[], speech: Speech): Told {
  if (delta.text === '') return told(story)
  const open = openItem(story, ITEM_OF[delta.kind], delta.key, say, speech)
  if (open === null) return told(withLoss(story, ITEM_OF[delta.kind]))
  const type = partTypeOf(delta.kind, speech)
  const ready = openPart(open, delta.part, type, say, speech)
  const live = liveAt(ready, open.at, delta.kind, delta.part)
  const part = runOf(ready, live)
  say.push(deltaEvent(live, delta.text, delta.logprobs))
  const next: PartState = {
    ...part,
    text: part.text + delta.text,
    logprobs: delta.logprobs === null ? part.logprobs : [...part.logprobs, ...delta.logprobs],
  }
  return told(withPart(ready, open.at, live.position, next), live)
}

/** The last part of the item, if it has that name and type; else a new one, after closing the last. */
function openPart({ story, at }: Opened, name: string, type: RunType, say: Event[], speech: Speech): Story {
  const last = story.items[at]?.parts.at(-1)
  if (last !== undefined && !last.done && last.name === name && last.type === type) return story
  const closed = last === undefined ? story : closePart(story, at, say, speech)
  const item = closed.items[at] as ItemState
  const early = type === 'output_text' ? closed.early.filter(({ key }) => key === item.key) : []
  const part: PartState = {
    name,
    type,
    index: item.parts.filter((other) => (other.type === 'summary_text') === (type === 'summary_text')).length,
    text: '',
    logprobs: [],
    annotations: [],
    waiting: early.map(({ citation }) => past(textBefore(closed, at, name), citation)),
    mark: 0,
    done: false,
  }
  const opened = withItem(closed, at, { ...item, parts: [...item.parts, part] })
  say.push(partEvent(addressOf(opened, at, part), 'added', toPart(part)))
  return early.length === 0 ? opened : { ...opened, early: closed.early.filter(({ key }) => key !== item.key) }
}

function liveAt(story: Story, at: number, kind: Live['kind'], part: string): Live {
  const item = story.items[at] as ItemState
  const position = item.parts.length - 1
  return { kind, key: item.key, part, position, ...addressOf(story, at, item.parts[position] as PartState) }
}

// ---------------------------------------------------------------- calls

function hearCall(story: Story, delta: CallDelta, say: Event[], speech: Speech): Told {
  if (!speech.items.includes(delta.type)) return told(withLoss(story, delta.type))
  const at = story.items.findLastIndex((item) => item.type === delta.type && item.key === delta.key)
  const item = story.items[at]
  if (item === undefined || isAnother(item, delta)) return hearPending(story, delta, say, speech)
  if (delta.arguments === '') return told(story)
  if (!isOpen(item))
    return told(delta.arguments.trim() === '' ? story : withLoss(story, 'arguments of a finished call'))
  return appendArguments(story, at, delta.arguments, say)
}

/**
 * Some upstreams number every call 0: what is named again under another id is another call, once the first is whole, or
 * where it has another name or begins its arguments anew.
 */
function isAnother(item: ItemState, delta: CallDelta): boolean {
  const { callId: id, name } = delta
  if (id === null || name === null || id === item.call?.upstreamId) return false
  return !isOpen(item) || isComplete(item) || name !== item.call?.name || delta.arguments.trimStart().startsWith('{')
}

function appendArguments(story: Story, at: number, text: string, say: Event[]): Told {
  const live = liveAt(story, at, 'call', '')
  const part = runOf(story, live)
  say.push(deltaEvent(live, text, null))
  return told(withPart(story, at, live.position, { ...part, text: part.text + text }), live)
}

function hearPending(story: Story, delta: CallDelta, say: Event[], speech: Speech): Told {
  const old = story.pending.find(({ key }) => key === delta.key)
  const others = story.pending.filter(({ key }) => key !== delta.key)
  const call: PendingCall = {
    key: delta.key,
    type: delta.type,
    callId: old?.callId || (delta.callId ?? ''),
    name: growName(old?.name ?? '', delta.name ?? ''),
    arguments: (old?.arguments ?? '') + delta.arguments,
  }
  // Another call has begun: the names of the earlier ones are settled.
  const before = announceAll({ ...story, pending: others }, say, speech)
  if (call.name === '' || call.arguments === '') return told({ ...before, pending: [...before.pending, call] })
  const { story: after, at } = announce(before, call, say, speech)
  return told(after, liveAt(after, at, 'call', ''))
}

/** Names come whole, in pieces, repeated, or growing from piece to piece. */
export function growName(name: string, piece: string): string {
  if (piece === '' || piece === name) return name
  return piece.startsWith(name) ? piece : name + piece
}

/** Announces every pending call whose name is known; the nameless wait on. */
function announceAll(story: Story, say: Event[], speech: Speech): Story {
  const named = story.pending.filter(({ name }) => name !== '')
  if (named.length === 0) return story
  const nameless: Story = { ...story, pending: story.pending.filter(({ name }) => name === '') }
  return named.reduce((now, call) => announce(now, call, say, speech).story, nameless)
}

/** The name that the client gave its tool. */
const toName = ({ names = {} }: Head, name: string): { readonly name: string; readonly namespace: string | null } =>
  lookup(names, name) ?? { name, namespace: null }

function announce(story: Story, call: PendingCall, say: Event[], speech: Speech): Opened {
  const taken = call.callId === '' || story.items.some((item) => item.call?.callId === call.callId)
  const id = taken ? callId(story.head.id, story.items.length) : call.callId
  const part: PartState = {
    name: '',
    type: call.type === 'function_call' ? 'arguments' : 'input',
    index: 0,
    text: '',
    logprobs: [],
    annotations: [],
    waiting: [],
    mark: 0,
    done: false,
  }
  const given = { type: call.type, key: call.key, parts: [part] }
  const { story: added, at } = addItem(
    story,
    { ...given, call: { callId: id, upstreamId: call.callId, ...toName(story.head, call.name) } },
    say,
    speech,
  )
  return call.arguments === ''
    ? { story: added, at }
    : { story: appendArguments(added, at, call.arguments, say).story, at }
}

// ---------------------------------------------------------------- citations, hosted items, stop

/** The open text that citations of that key are about. */
function citedText(story: Story, key: string): { readonly at: number; readonly part: PartState } | null {
  const at = findOpen(story, 'message', key)
  const part = story.items[at]?.parts.at(-1)
  return part === undefined || part.done || part.type !== 'output_text' ? null : { at, part }
}

function hearMark(story: Story, key: string): Story {
  const cited = citedText(story, key)
  if (cited === null) return story
  const { at, part } = cited
  return withPart(story, at, lastOf(story, at), { ...part, mark: part.text.length })
}

function hearCitation(story: Story, delta: CitationDelta, say: Event[], speech: Speech): Story {
  const type = delta.citation.file === undefined ? 'url_citation' : 'file_citation'
  if (!speech.annotations.includes(type)) return withLoss(story, type)
  const cited = citedText(story, delta.key)
  if (cited === null) return { ...story, early: [...story.early, { key: delta.key, citation: delta.citation }] }
  const { at, part } = cited
  const position = lastOf(story, at)
  const citation =
    delta.block === true ? ofBlock(delta.citation, part) : past(textBefore(story, at, part.name), delta.citation)
  if (isWaiting(citation, part.waiting)) return story
  return isDecidable(citation, part.text)
    ? annotate(story, at, position, [citation], say, speech)
    : withPart(story, at, position, { ...part, waiting: [...part.waiting, citation] })
}

const ofBlock = (citation: Citation, { mark, text }: PartState): Citation => ({
  ...citation,
  span: { start: mark, end: text.length, unit: 'utf16' },
})

function annotate(
  story: Story,
  at: number,
  position: number,
  citations: readonly Citation[],
  say: Event[],
  speech: Speech,
): Story {
  const part = story.items[at]?.parts[position] as PartState
  const added = citations.flatMap((citation) => toAnnotations(citation, part.text, speech.offsets))
  const { response_id, item_id, output_index, index: content_index } = addressOf(story, at, part)
  added.forEach((annotation, i) => {
    const annotation_index = part.annotations.length + i
    const address = { response_id, item_id, output_index, content_index }
    say.push({ type: 'output_text.annotation.added', ...address, annotation_index, annotation })
  })
  return withPart(story, at, position, { ...part, annotations: [...part.annotations, ...added] })
}

/** Reasoning may have nothing but its seal; an item that the upstream runs has been told of before. */
function hearOpaque(story: Story, delta: OpaqueDelta, say: Event[], speech: Speech, seal: Seal): Story {
  const { key, of = 'reasoning', payload } = delta
  const known = findOpen(story, of, key)
  const open = known < 0 && of !== 'reasoning' ? null : openItem(story, of, key, say, speech)
  if (open === null) return withLoss(story, of)
  const item = open.story.items[open.at] as ItemState
  return withItem(open.story, open.at, { ...item, sealed: seal(payload) })
}

function hearHosted(story: Story, delta: HostedDelta, say: Event[], speech: Speech): Story {
  const { type } = delta.item
  const known = findOpen(story, type, delta.key)
  const open = openItem(story, type, delta.key, say, speech)
  if (open === null) return withLoss(story, type)
  if (known < 0 && type === 'web_search_call') searchEvents(open, ['in_progress', 'searching'], say)
  const item = open.story.items[open.at] as ItemState
  const next = withItem(open.story, open.at, { ...item, hosted: delta.item })
  return delta.done ? closeItem(next, open.at, false, say, speech) : next
}

function searchEvents(
  { story, at }: Opened,
  phases: readonly ('in_progress' | 'searching' | 'completed')[],
  say: Event[],
): void {
  const address = { response_id: story.head.id, item_id: story.items[at]?.id ?? '', output_index: at }
  for (const phase of phases) say.push({ type: `web_search_call.${phase}`, ...address })
}

function hearHold(story: Story, key: string, say: Event[], speech: Speech): Story {
  const ready = announceKey(story, key, say, speech)
  const items = ready.items.map((item) =>
    isOpen(item) && item.type === 'message' && item.key === key ? { ...item, held: true } : item,
  )
  return { ...ready, items }
}

function hearStop(story: Story, { key, cut = false }: StopDelta, say: Event[], speech: Speech): Story {
  const ready = announceKey(story, key, say, speech)
  return ready.items.reduce(
    (now, item, at) => (isOpen(item) && item.key === key ? closeItem(now, at, cut, say, speech) : now),
    ready,
  )
}

/** Nothing more comes that could be part of the name of this call. */
function announceKey(story: Story, key: string, say: Event[], speech: Speech): Story {
  const call = story.pending.find((pending) => pending.key === key && pending.name !== '')
  return call === undefined ? story : announceAll(story, say, speech)
}

// ---------------------------------------------------------------- closing

/** The last part of an item is over: what is still to be said of it, and its closing bracket. */
function closePart(story: Story, at: number, say: Event[], speech: Speech): Story {
  const item = story.items[at] as ItemState
  const position = item.parts.length - 1
  const open = item.parts[position]
  if (open === undefined || open.done) return story
  const cited = open.waiting.length === 0 ? story : annotate(story, at, position, open.waiting, say, speech)
  const part = cited.items[at]?.parts[position] as PartState
  const address = addressOf(cited, at, part)
  say.push(textDoneEvent(address, part, item.call?.name ?? ''))
  if (isContent(part.type)) say.push(partEvent(address, 'done', toPart(part)))
  return withPart(cited, at, position, { ...part, waiting: [], done: true })
}

/** `cut`: the answer ended inside this item. */
function closeItem(story: Story, at: number, cut: boolean, say: Event[], speech: Speech): Story {
  const filled = cut ? story : fillArguments(story, at, say)
  const closed = closePart(filled, at, say, speech)
  const item = closed.items[at] as ItemState
  if (item.type === 'web_search_call' && !cut) searchEvents({ story: closed, at }, ['completed'], say)
  const done = toItem(item, statusOf(item, cut))
  say.push({ type: 'output_item.done', response_id: closed.head.id, output_index: at, item: done })
  return withItem(closed, at, { ...item, item: done })
}

/** A call without arguments has empty ones: `{}` is what every client parses. */
function fillArguments(story: Story, at: number, say: Event[]): Story {
  const item = story.items[at] as ItemState
  const empty = item.type === 'function_call' && (item.parts[0]?.text ?? '').trim() === ''
  return empty ? appendArguments(story, at, '{}', say).story : story
}

/** A call is as complete as its arguments, whatever its upstream says of the whole. */
function statusOf(item: ItemState, cut: boolean): ItemStatus {
  if (item.type === 'function_call') return isComplete(item) ? 'completed' : 'incomplete'
  return cut ? 'incomplete' : 'completed'
}

// ---------------------------------------------------------------- the end

function finish(story: Story, say: Event[], speech: Speech): void {
  const announced = dropUnplaced(announceAll(story, say, speech))
  const { status, error } = verdict(announced)
  const closed = announced.items.reduce(
    (now, item, at) => (isOpen(item) ? closeItem(now, at, status !== 'completed', say, speech) : now),
    announced,
  )
  if (error !== null) {
    const { code, message, param } = error
    say.push({ type: 'error', code, message, param, error: { type: code, code, message, param } })
  }
  say.push({ type: status, response: toResponse({ ...closed, error }, status) })
}
