import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Json } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import { isText } from '../../text/json.ts'
import { oneOf, said } from '../../validation/issue.ts'
import type { LostFields } from '../../validation/known.ts'
import type { Bag } from './state.ts'

/** What is noted on the way through a client's request. */
export interface Reading {
  readonly losses: Loss[]
  /** The first fault counts; what is read after it is thrown away. */
  fault: GatewayError | null
  /** Marks what the vendor of this wire encrypted; null where the request goes to another one. */
  readonly seal: ((payload: Json) => string) | null
}

export function refuse(reading: Reading, place: string, message: string): void {
  reading.fault ??= clientError('invalid_prompt', `${place}: ${message}`, place)
}

export function refuseValue(reading: Reading, place: string, expected: string, value: unknown): void {
  refuse(reading, place, `expected ${expected}, got ${said(value)}`)
}

export function refuseType(reading: Reading, place: string, types: readonly string[], value: unknown): void {
  refuseValue(reading, `${place}.type`, oneOf(types), value)
}

/** A mark for their cache: everybody else decides alone what is kept. */
export const CACHE = {
  cache_control: { why: 'no request of ours can mark what is to be kept' },
} as const satisfies LostFields

/** What was left out is null, and null is as good as left out. */
export const isSaid = (value: unknown): boolean => value !== undefined && value !== null

const placeOf = (place: string, field: string): string => (place === '' ? field : `${place}.${field}`)

/** A field that must be a text, possibly an empty one. */
export function readString(bag: Bag, field: string, place: string, reading: Reading): string {
  const value = bag[field]
  if (typeof value === 'string') return value
  refuseValue(reading, placeOf(place, field), 'a string', value)
  return ''
}

/** A field that must say something. */
export function readText(bag: Bag, field: string, place: string, reading: Reading): string {
  const value = bag[field]
  if (isText(value)) return value
  refuseValue(reading, placeOf(place, field), 'a string that is not empty', value)
  return ''
}

/** A field that is a text where it is there at all. */
export function readOptionalText(bag: Bag, field: string, place: string, reading: Reading): string | null {
  const value = bag[field]
  if (!isSaid(value)) return null
  return readString(bag, field, place, reading)
}
