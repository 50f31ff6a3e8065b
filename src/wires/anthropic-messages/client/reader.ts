import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import type { Loss } from '../../../protocol/loss.ts'
import { isNonEmptyString } from '../../../text/json.ts'
import { describeValue, oneOf } from '../../../validation/messages.ts'
import type { IgnoredFields } from '../../../validation/unknown-fields.ts'

/** Collects losses and the first error of a client's request while it is read. */
export interface MessagesReader {
  readonly losses: Loss[]
  /** The first fault. Results after it are discarded. */
  fault: GatewayError | null
  /** Seals what the vendor of this wire encrypted; null if the request goes to another wire. */
  readonly seal: ((payload: Json) => string) | null
}

export function reject(reading: MessagesReader, path: string, message: string): void {
  reading.fault ??= clientError('invalid_prompt', `${path}: ${message}`, path)
}

export function rejectValue(reading: MessagesReader, path: string, expected: string, value: unknown): void {
  reject(reading, path, `expected ${expected}, got ${describeValue(value)}`)
}

export function rejectBlockType(reading: MessagesReader, path: string, types: readonly string[], value: unknown): void {
  rejectValue(reading, `${path}.type`, oneOf(types), value)
}

/** `cache_control` marks content for Anthropic's cache. Other vendors decide on their own what they cache. */
export const CACHE = {
  cache_control: { why: 'cache breakpoints are not supported' },
} as const satisfies IgnoredFields

/** A null field counts as missing. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null

const pathOf = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`)

/** Reads a required text, which may be empty. */
export function readString(record: JsonRecord, field: string, path: string, reading: MessagesReader): string {
  const value = record[field]
  if (typeof value === 'string') return value
  rejectValue(reading, pathOf(path, field), 'a string', value)
  return ''
}

/** Reads a required text that is not empty. */
export function readText(record: JsonRecord, field: string, path: string, reading: MessagesReader): string {
  const value = record[field]
  if (isNonEmptyString(value)) return value
  rejectValue(reading, pathOf(path, field), 'a string that is not empty', value)
  return ''
}

/** Reads an optional text; null if it is missing. */
export function readOptionalText(
  record: JsonRecord,
  field: string,
  path: string,
  reading: MessagesReader,
): string | null {
  const value = record[field]
  if (!isPresent(value)) return null
  return readString(record, field, path, reading)
}
