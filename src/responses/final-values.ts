import { listToArray } from '../collections/list.ts'
import { mapGet } from '../collections/sorted-map.ts'
import type { CallDelta, ContentDelta } from '../protocol/delta.ts'
import type { Item, ItemType } from '../protocol/item.ts'
import { parseJson } from '../text/json.ts'
import { firstDifference } from '../text/json-diff.ts'
import { callJson } from './final-status.ts'
import { lastItem } from './item-index.ts'
import { type ItemState, itemAt, type ResponseState } from './state.ts'

/** The loss of a text whose pieces contradict its final value. */
export const DIFFERENT = 'a final text that differs from its deltas'

/** The part of a final value that the response lacks. */
interface MissingValue {
  /** Null if nothing is missing, or if the value contradicts the response. */
  readonly rest: ContentDelta | CallDelta | null
  readonly differs: boolean
}

const NOTHING_MISSING: MissingValue = { rest: null, differs: false }
const CONTRADICTION: MissingValue = { rest: null, differs: true }

/** Compares a final value with the response. O(n) for n items and the length of the text. */
export const missingOf = (response: ResponseState, whole: ContentDelta | CallDelta): MissingValue =>
  whole.kind === 'call' ? missingCall(response, whole) : missingText(response, whole)

function missingText(response: ResponseState, whole: ContentDelta): MissingValue {
  const isAnswer = whole.kind === 'text' || whole.kind === 'refusal'
  const type: ItemType = isAnswer ? 'message' : 'reasoning'
  const received = listToArray(response.items)
    .filter((item) => item.type === type && item.key === whole.key)
    .map((item) => textOf(item, whole.kind))
    .join('')
  if (whole.text.startsWith(received)) {
    const text = whole.text.slice(received.length)
    // Some vendors repeat a text without the white space around it.
    return text.trim() === '' ? NOTHING_MISSING : { rest: { ...whole, text }, differs: false }
  }
  return whole.text.trim() === received.trim() ? NOTHING_MISSING : CONTRADICTION
}

function textOf({ parts, item }: ItemState, kind: ContentDelta['kind']): string {
  if (item !== null) return finishedText(item, kind)
  const texts = listToArray(parts).filter(({ type }) => kind !== 'text' || type !== 'refusal')
  return texts.map(({ text }) => text).join('')
}

function finishedText(item: Item, kind: ContentDelta['kind']): string {
  if (item.type === 'reasoning') return [...item.summary, ...item.content].map(({ text }) => text).join('')
  if (item.type !== 'message') return ''
  return item.content
    .map((part) => (part.type === 'refusal' ? (kind === 'text' ? '' : part.refusal) : part.text))
    .join('')
}

/** A call that a pass has converted has an item of another type, which is not compared. */
const CONVERTED: readonly ItemType[] = [
  'custom_tool_call',
  'shell_call',
  'local_shell_call',
  'apply_patch_call',
  'tool_search_call',
]

function missingCall(response: ResponseState, whole: CallDelta): MissingValue {
  const at = lastItem(response.index, 'function_call', whole.key)
  if (at < 0) {
    const isConverted = CONVERTED.some((type) => lastItem(response.index, type, whole.key) >= 0)
    const isNameless = mapGet(response.calls.nameless, whole.key) !== undefined
    return isConverted || isNameless ? NOTHING_MISSING : { rest: whole, differs: false }
  }
  const item = itemAt(response, at)
  const received = item.item === null ? callJson(item) : item.item.type === 'function_call' ? item.item.arguments : ''
  if (isSameJson(received, whole.arguments)) return NOTHING_MISSING
  const goesOn = item.item === null && whole.arguments.startsWith(received)
  return goesOn
    ? {
        rest: { ...whole, callId: null, name: null, arguments: whole.arguments.slice(received.length) },
        differs: false,
      }
    : CONTRADICTION
}

/** Missing arguments are an empty object. */
function isSameJson(one: string, other: string): boolean {
  if (one === other) return true
  const values = [one, other].map((text) => (text.trim() === '' ? {} : parseJson(text)))
  return values.every((value) => value !== undefined) && firstDifference(values[0], values[1]) === null
}
