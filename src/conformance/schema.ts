import { isCompleteJson, isNonEmptyString, isObject, toArray } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { splitsPair } from '../text/offsets.ts'
import { type Report, type Rule, show } from './rules.ts'

export type FieldTest = (value: unknown) => boolean

/** The fields that an object needs, each with its test. A test that accepts undefined makes its field optional. */
export type FieldTests = Readonly<Record<string, FieldTest>>

export interface ObjectSchema {
  readonly fields: FieldTests
  /** Whether the object may have no other fields. */
  readonly exact: boolean
}

/** The objects of a stream in one dialect. */
export interface ObjectSchemas {
  /** The response of `created`, `queued` and `in_progress`. */
  readonly opening: ObjectSchema
  /** The response of the terminal event. */
  readonly closing: ObjectSchema
  /** The response of the short terminal event. */
  readonly recap: ObjectSchema
  readonly usage: FieldTests
  /** Items when they are added. A type without a row has `otherAdded`, or is a violation if that is null. */
  readonly added: Readonly<Record<string, FieldTests>>
  readonly otherAdded: FieldTests | null
  /** Items when they are done. */
  readonly items: Readonly<Record<string, FieldTests>>
  /** Content parts by item type and part type: when they are added, and when they are done. */
  readonly newParts: Readonly<Record<string, Readonly<Record<string, ObjectSchema>>>>
  readonly parts: Readonly<Record<string, Readonly<Record<string, FieldTests>>>>
  readonly newSummary: FieldTest
  readonly summary: FieldTest
  readonly annotations: Readonly<Record<string, FieldTests>>
  readonly otherAnnotations: boolean
  /**
   * A failed or incomplete response must give its reason, and a completed one must have no incomplete items, except
   * calls whose arguments are cut.
   */
  readonly reasons: boolean
}

export const isString: FieldTest = (value) => typeof value === 'string'
export const isCount: FieldTest = (value) => Number.isInteger(value) && (value as number) >= 0
/** A Unix time. One in milliseconds has more digits. */
export const isSeconds: FieldTest = (value) => isNumber(value) && (value as number) < 1e11
export const isNumber: FieldTest = (value) => Number.isFinite(value)
export const isBoolean: FieldTest = (value) => typeof value === 'boolean'
export const isList: FieldTest = (value) => Array.isArray(value)
export const isEmptyList: FieldTest = (value) => Array.isArray(value) && value.length === 0
export const isNull: FieldTest = (value) => value === null
export const isAnything: FieldTest = () => true
export const is =
  (...words: readonly unknown[]): FieldTest =>
  (value) =>
    words.includes(value)
export const orNull =
  (...tests: readonly FieldTest[]): FieldTest =>
  (value) =>
    value === null || tests.some((test) => test(value))
export const optionalField =
  (test: FieldTest): FieldTest =>
  (value) =>
    value === undefined || test(value)
export const isShape =
  (fields: FieldTests): FieldTest =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([key, test]) => test(value[key]))

/** Reports every field that is missing or wrong. */
export function checkFields<Name extends string>(
  value: unknown,
  fields: FieldTests,
  what: string,
  rule: Name,
  report: (rule: Name, message: string) => void,
): void {
  if (!isObject(value)) {
    report(rule, `${what} is ${show(value)}`)
    return
  }
  for (const [key, test] of Object.entries(fields)) {
    if (!test(value[key])) report(rule, `${what}: ${key} is ${show(value[key])}`)
  }
}

export function checkShape(value: unknown, shape: ObjectSchema, what: string, rule: Rule, report: Report): void {
  checkFields(value, shape.fields, what, rule, report)
  if (!shape.exact || !isObject(value)) return
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(shape.fields, key)) report(rule, `${what}: the field ${show(key)} is unexpected`)
  }
}

// ---------------------------------------------------------------- finished items, parts, annotations

/** Checks a finished item and everything inside it. */
export function checkItem(item: unknown, shapes: ObjectSchemas, report: Report): void {
  if (!isObject(item) || !isNonEmptyString(item.type)) {
    report('item', 'an item without a type')
    return
  }
  const fields = lookup(shapes.items, item.type)
  if (fields === undefined) {
    if (shapes.otherAdded === null) report('item', `an unknown item of type ${show(item.type)}`)
    return
  }
  checkFields(item, fields, `a finished ${item.type}`, 'item', report)
  checkArguments(item, report)
  const parts = lookup(shapes.parts, item.type)
  if (parts !== undefined) for (const part of toArray(item.content)) checkPart(part, parts, shapes, report)
  if (item.type !== 'reasoning') return
  for (const part of toArray(item.summary)) {
    if (!shapes.summary(part)) report('part', `an invalid summary part: ${show(part)}`)
  }
}

/** Only an incomplete call may have arguments that are cut. */
function checkArguments(item: Readonly<Record<string, unknown>>, report: Report): void {
  if (item.type === 'function_call' && (item.status ?? 'completed') === 'completed' && !isWhole(item)) {
    report('arguments', `the call is complete, but its arguments are not JSON: ${show(item.arguments)}`)
  }
}

/** Returns whether the arguments of this call are complete JSON. */
export const isWhole = (item: Readonly<Record<string, unknown>>): boolean =>
  typeof item.arguments === 'string' && isCompleteJson(item.arguments)

export function checkPart(
  part: unknown,
  shapesOfParts: Readonly<Record<string, FieldTests>>,
  shapes: ObjectSchemas,
  report: Report,
): void {
  const fields = isObject(part) && isNonEmptyString(part.type) ? lookup(shapesOfParts, part.type) : undefined
  if (!isObject(part) || fields === undefined) {
    report('part', `a part of type ${show(isObject(part) ? part.type : part)} where it is not permitted`)
    return
  }
  checkFields(part, fields, `a part of type ${show(part.type)}`, 'part', report)
  for (const annotation of toArray(part.annotations)) checkAnnotation(annotation, part.text, shapes, report)
}

function checkAnnotation(annotation: unknown, text: unknown, shapes: ObjectSchemas, report: Report): void {
  if (!isObject(annotation) || !isNonEmptyString(annotation.type)) {
    report('annotation', 'an annotation without a type')
    return
  }
  const fields = lookup(shapes.annotations, annotation.type)
  if (fields === undefined) {
    if (!shapes.otherAnnotations) report('annotation', `an unknown annotation of type ${show(annotation.type)}`)
    return
  }
  checkFields(annotation, fields, `a ${annotation.type}`, 'annotation', report)
  const { start_index: start, end_index: end } = annotation
  if (typeof text === 'string' && isCount(start) && isCount(end))
    checkSpan(start as number, end as number, text, report)
}

function checkSpan(start: number, end: number, text: string, report: Report): void {
  const where = `an annotation of ${start}..${end}`
  if (start > end || end > text.length) {
    report('annotation', `${where} in a text of length ${text.length}`)
    return
  }
  if (splitsPair(text, start) || splitsPair(text, end)) report('annotation', `${where} cuts a character in two`)
}
