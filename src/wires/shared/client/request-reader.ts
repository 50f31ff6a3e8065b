import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { addLoss, dropped, type Loss, mapped, ROUNDED, UNSUPPORTED_VALUE } from '../../../protocol/loss.ts'
import { formatJson, isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { type FieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import { describeValue, oneOf } from '../../../validation/messages.ts'
import type { DecodeContext, ReadOutcome } from '../../client-contract.ts'
import { hasLargeNumber } from '../large-numbers.ts'

/** Collects the losses of a client's request while it is read, and the first error in it. */
export interface RequestReader extends Pick<DecodeContext, 'seal' | 'signer'> {
  readonly losses: Loss[]
  /** The paths of the members that are not read and request something. */
  readonly unsupported: Set<string>
  /** The client's paths of the cache breakpoints that were read, by the breakpoints themselves. */
  readonly breakpoints: Map<unknown, string>
  /**
   * The first value without a translation. An upstream of the client's own protocol may accept it nevertheless, so that
   * the rest of the request is read.
   */
  error: GatewayError | null
  /** The first unsupported member without which the request would be another one, and the paths of all of them. */
  required: { readonly error: GatewayError; readonly paths: Set<string> } | null
}

export const createRequestReader = ({ seal, signer }: Pick<DecodeContext, 'seal' | 'signer'>): RequestReader => ({
  losses: [],
  unsupported: new Set(),
  breakpoints: new Map(),
  error: null,
  required: null,
  seal,
  signer,
})

export const readOutcomeOf = ({ error }: Pick<RequestReader, 'error'>): ReadOutcome =>
  error === null ? { ok: true } : { ok: false, error }

/** Whether a field is left out or null. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null

export function rejectField(notes: RequestReader, path: string, message: string): void {
  notes.error ??= clientError('invalid_prompt', `${path}: ${message}`, path)
}

export const rejectType = (notes: RequestReader, path: string, what: string, value: unknown): void =>
  rejectField(notes, path, `expected ${what}, got ${describeValue(value)}`)

export const rejectWord = (notes: RequestReader, path: string, words: readonly string[], value: unknown): void =>
  rejectType(notes, path, oneOf(words), value)

export const dropField = ({ losses }: Pick<RequestReader, 'losses'>, path: string, why: string): void =>
  addLoss(losses, dropped(path, why))

/** Marks a value that the hub has a field for, but that it sends to no upstream of the client's own protocol. */
export const keepOwn = ({ unsupported }: Pick<RequestReader, 'unsupported'>, path: string): void =>
  void unsupported.add(path)

/**
 * Drops a value that the hub has no form for. An upstream of the client's own protocol receives it nevertheless.
 */
export function leaveUnsupported(
  notes: Pick<RequestReader, 'losses' | 'unsupported'>,
  path: string,
  why: string,
): void {
  notes.unsupported.add(path)
  dropField(notes, path, why)
}

/**
 * Leaves a value to upstreams of the client's own protocol. The hub has no form for it, and the request without it would
 * be another one. `fault`: the path of the part of the value that decides.
 */
export function requireOwn(notes: RequestReader, path: string, message: string, fault = path): void {
  notes.unsupported.add(path)
  const error = clientError('invalid_prompt', `${fault}: ${message}`, fault)
  notes.required ??= { error, paths: new Set() }
  notes.required.paths.add(path)
}

export const mapField = ({ losses }: Pick<RequestReader, 'losses'>, path: string, why: string): void =>
  addLoss(losses, mapped(path, why))

/**
 * Returns an object as JSON text; empty if it is nested too deep to be written. A number beyond 2^53 is a loss: it was
 * rounded when the body was parsed.
 */
export function formatField(notes: Pick<RequestReader, 'losses'>, path: string, value: JsonRecord): string {
  if (hasLargeNumber(value)) mapField(notes, path, ROUNDED)
  return formatJson(value)
}

// ---------------------------------------------------------------- required values

export function textAt(notes: RequestReader, path: string, value: unknown): string {
  if (typeof value === 'string') return value
  rejectType(notes, path, 'a string', value)
  return ''
}

export function nameAt(notes: RequestReader, path: string, value: unknown): string {
  if (isNonEmptyString(value)) return value
  rejectType(notes, path, 'a string that is not empty', value)
  return ''
}

export function objectAt(notes: RequestReader, path: string, value: unknown): JsonRecord {
  if (isObject(value)) return value
  rejectType(notes, path, 'an object', value)
  return {}
}

/** Reads these fields of an object. Any other field is dropped as a loss. */
export const readFieldsAt = <Name extends string>(
  notes: RequestReader,
  path: string,
  value: unknown,
  known: FieldSet<Name>,
): KnownFields<FieldSet<Name>> => pickKnown(objectAt(notes, path, value), known, path, notes)

/** Reads these fields of an object that may be absent; an absent object has no fields. */
export const optionalFieldsAt = <Name extends string>(
  notes: RequestReader,
  path: string,
  value: unknown,
  known: FieldSet<Name>,
): KnownFields<FieldSet<Name>> => (isAbsent(value) ? {} : readFieldsAt(notes, path, value, known))

export function readListAt(notes: RequestReader, path: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) rejectType(notes, path, 'a list', value)
  return toArray(value)
}

export function wordAt<Word extends string>(
  notes: RequestReader,
  path: string,
  value: unknown,
  words: readonly Word[],
): Word | null {
  const word = words.find((one) => one === value)
  if (word === undefined) rejectWord(notes, path, words, value)
  return word ?? null
}

// ---------------------------------------------------------------- optional values

/** Returns null for an absent value, else the result of `read`. */
export const optionalAt = <T>(
  read: (notes: RequestReader, path: string, value: unknown) => T,
  notes: RequestReader,
  path: string,
  value: unknown,
): T | null => (isAbsent(value) ? null : read(notes, path, value))

/** Drops a word that the hub does not have. */
export function optionalWordAt<Word extends string>(
  notes: RequestReader,
  path: string,
  value: unknown,
  words: readonly Word[],
): Word | null {
  if (isAbsent(value)) return null
  if (typeof value !== 'string') return wordAt(notes, path, value, words)
  const word = words.find((one) => one === value)
  if (word === undefined) leaveUnsupported(notes, path, UNSUPPORTED_VALUE)
  return word ?? null
}

export function flagAt(notes: RequestReader, path: string, value: unknown): boolean {
  if (typeof value !== 'boolean') rejectType(notes, path, 'true or false', value)
  return value === true
}

/** The bounds of a number. Without `most`, there is no upper bound, and a number below `least` is an error. */
export interface NumberBounds {
  readonly least: number
  readonly most?: number
  readonly whole?: true
}

export const COUNT: NumberBounds = { least: 1, whole: true }

/** Returns null for an absent number, and the nearest one for a number outside the bounds. */
export function optionalNumberAt(
  notes: RequestReader,
  path: string,
  value: unknown,
  { least, most, whole }: NumberBounds,
): number | null {
  if (isAbsent(value)) return null
  const inBounds = typeof value === 'number' && value >= least && value <= (most ?? Number.MAX_VALUE)
  if (inBounds && (whole !== true || Number.isSafeInteger(value))) return value
  if (typeof value === 'number' && most !== undefined) {
    const nearest = Math.min(Math.max(whole === true ? Math.round(value) : value, least), most)
    notes.unsupported.add(path)
    mapField(notes, path, `sent as ${nearest}`)
    return nearest
  }
  const kind = whole === true ? 'a whole number' : 'a number'
  const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`
  rejectType(notes, path, `${kind} ${range}`, value)
  return null
}

/** Reads one text or a list of texts, as in stop sequences. */
export function textsAt(notes: RequestReader, path: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [nameAt(notes, path, value)]
  return value.map((text, i) => nameAt(notes, `${path}[${i}]`, text))
}
