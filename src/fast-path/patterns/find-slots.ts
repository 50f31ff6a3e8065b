import { byName, type JsonField, jsonFieldsOf } from './json-fields.ts'
import { valueEnd } from './scan-bytes.ts'
import { COMMA, endOf, patternEnd } from './scan-string.ts'
import type { Slot } from './slot.ts'

/** A part of a payload that may become a slot. */
export interface SlotPosition {
  readonly slot: Slot
  readonly start: number
  readonly end: number
}

/** With more fields, learning a template costs more than it saves: JSON.parse is faster. */
const MOST_FIELDS = 200

/** A payload, and its fields. */
interface Scanned {
  readonly payload: string
  readonly fields: readonly JsonField[]
  readonly named: ReadonlyMap<string, readonly JsonField[]>
}

export function scan(payload: string): Scanned {
  const found = jsonFieldsOf(payload)
  const fields = found.length > MOST_FIELDS ? [] : found
  return { payload, fields, named: byName(fields) }
}

/** The slots that are found by the names of their fields. */
type Looked = 'leaf' | 'count' | 'value'

/** Returns every value of that name that fits such a slot. */
function positionsOf({ payload, named }: Scanned, name: string, slot: Looked): readonly SlotPosition[] {
  const positions: SlotPosition[] = []
  for (const field of named.get(name) ?? []) {
    const position = positionOf(payload, slot, field)
    if (position !== null) positions.push(position)
  }
  return positions
}

function positionOf(payload: string, slot: Looked, field: JsonField): SlotPosition | null {
  if (slot === 'value') return isSkipped(payload, field) ? { slot, start: field.start, end: field.end } : null
  if (slot === 'leaf' && payload[field.start] !== '"') return null
  const quote = slot === 'leaf' ? 1 : 0
  const start = field.start + quote
  const end = field.end - quote
  return end > start && endOf(payload, slot, start) === end ? { slot, start, end } : null
}

const encoder = new TextEncoder()

/** The byte scanner accepts every string, number and literal of up to this many UTF-16 units. */
const SHORT = 256

/**
 * Returns whether the byte scanner accepts this value. It does not accept all JSON, and a slot for any other value
 * would never match.
 */
function isSkipped(payload: string, { start, end }: JsonField): boolean {
  const isList = payload[start] === '[' || payload[start] === '{'
  if (!isList && end - start <= SHORT) return true
  const value = encoder.encode(`${payload.slice(start, end)},"`)
  const length = value.length - 1
  return valueEnd(value, length, 0) === length - 1
}

export const positionsOfAll = (scanned: Scanned, names: readonly string[], slot: Looked): readonly SlotPosition[] =>
  names.flatMap((name) => positionsOf(scanned, name, slot))

/** Returns the other places of the same text. */
export function repeatsOf({ payload, fields }: Scanned, leaf: SlotPosition): readonly SlotPosition[] {
  const [from, to] = [leaf.start - 1, leaf.end + 1]
  const text = payload.slice(from, to)
  const isRepeat = ({ start, end }: JsonField): boolean =>
    end - start === to - from && start !== from && payload.startsWith(text, start)
  return fields.filter(isRepeat).map(({ start, end }) => ({ ...leaf, start: start + 1, end: end - 1 }))
}

export const fieldNameAt = (payload: string, label: number): string =>
  payload.slice(label + 1, payload.indexOf('"', label + 1))

const labelOf = (payload: string, { name, start }: JsonField): number => payload.lastIndexOf(`"${name}"`, start - 1)

/**
 * Returns all members of these names, each up to the next member of its object. The last member of an object is left
 * out.
 */
function membersOf({ payload, named }: Scanned, names: readonly string[]): readonly SlotPosition[] {
  const positions: SlotPosition[] = []
  for (const field of names.flatMap((name) => named.get(name) ?? [])) {
    if (!isSkipped(payload, field)) continue
    const end = patternEnd(payload, COMMA, field.end)
    if (end >= 0) positions.push({ slot: 'members', start: labelOf(payload, field), end })
  }
  return positions
}

/**
 * Returns the slots for members that appear and disappear: the members of these names, and the places at which the
 * other payload has members that this one lacks.
 */
export function loosePositions(now: Scanned, then: Scanned, names: readonly string[]): readonly SlotPosition[] {
  // If only the other payload has additional members, a later chunk may show them.
  if (names.length === 0) return []
  const gone = [...then.named.keys()].filter((name) => !now.named.has(name))
  const behind = new Set(membersOf(then, gone).map(({ end }) => fieldNameAt(then.payload, end)))
  const gaps = [...behind].flatMap((name) => now.named.get(name) ?? []).map((field) => labelOf(now.payload, field))
  return [...membersOf(now, names), ...gaps.map((at): SlotPosition => ({ slot: 'members', start: at, end: at }))]
}

/** Returns whether one place encloses another. A decoder that reads a text has also read everything around it. */
export const isAround = (one: SlotPosition, other: SlotPosition): boolean =>
  one.start < other.start && other.end < one.end

export function differs(one: Scanned, other: Scanned, name: string): boolean {
  const [fields, others] = [one.named.get(name) ?? [], other.named.get(name) ?? []]
  if (fields.length !== others.length) return true
  for (const [i, field] of fields.entries()) {
    if (valueIn(one.payload, field) !== valueIn(other.payload, others[i] as JsonField)) return true
  }
  return false
}

const valueIn = (payload: string, { start, end }: JsonField): string => payload.slice(start, end)
