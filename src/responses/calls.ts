import { listOf } from '../collections/list.ts'
import { mapDelete, mapGet, mapSet } from '../collections/sorted-map.ts'
import type { CallDelta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { CallType, ItemType } from '../protocol/item.ts'
import type { Head } from '../protocol/response.ts'
import { lookup } from '../text/lookup.ts'
import { wrapPiece } from './call-arguments.ts'
import type { RespondContext } from './capabilities.ts'
import { argumentsOf, isOpen } from './final-status.ts'
import { callId } from './ids.ts'
import { lastItem, lastOpen } from './item-index.ts'
import { addItem, checkArguments, isWrapped } from './items.ts'
import { appendText, type Opened, told } from './parts.ts'
import { itemAt, newPart, type PendingCall, type RespondState, type Story, settle, withLoss } from './state.ts'

/** Returns the open item of that type and key, and opens it if there is none; null if the target cannot express it. */
export function openItem(
  story: Story,
  type: ItemType,
  key: string,
  say: Event[],
  speech: RespondContext,
): Opened | null {
  if (!speech.items.includes(type)) return null
  const at = lastOpen(story.index, type, key)
  return at >= 0 ? { story, at } : addItem(announceNamed(story, say, speech), { type, key }, say, speech)
}

/**
 * If the target has function calls only, a call with free text becomes a function call with that text as its `input`.
 */
const callForm = (type: CallType, { items }: RespondContext): { readonly type: CallType; readonly wraps: boolean } =>
  type === 'function_call' || items.includes(type) ? { type, wraps: false } : { type: 'function_call', wraps: true }

export function hearCall(story: Story, delta: CallDelta, say: Event[], speech: RespondContext): RespondState {
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

function hearPending(story: Story, delta: CallDelta, say: Event[], speech: RespondContext): RespondState {
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
export function announceNamed(story: Story, say: Event[], speech: RespondContext): Story {
  const { calls } = story
  const { named } = calls
  return named === null ? story : announce({ ...story, calls: { ...calls, named: null } }, named, say, speech).story
}

/** Returns the name under which the client declared its tool. */
const toName = ({ names = {} }: Head, name: string): { readonly name: string; readonly namespace: string | null } =>
  lookup(names, name) ?? { name, namespace: null }

/** Opens the item of a call, without its arguments. */
function announce(story: Story, call: PendingCall, say: Event[], speech: RespondContext): Opened {
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

/** Announces the pending call of this key: no further piece of its name can follow. */
export const announceKey = (story: Story, key: string, say: Event[], speech: RespondContext): Story =>
  story.calls.named?.key === key ? announceNamed(story, say, speech) : story
