import type { Delta } from '../protocol/delta.ts'
import { isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isTextOrNull: Check = (value) => value === null || isText(value)
const isFlag: Check = (value) => typeof value === 'boolean'
const isCount: Check = (value) => value === null || (typeof value === 'number' && Number.isFinite(value))
const isJson: Check = (value) => value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'
const isAbsent: Check = (value) => value === undefined

const optional =
  (check: Check): Check =>
  (value) =>
    isAbsent(value) || check(value)
const nullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value)
const objectOf =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, check]) => check(value[name]))
const valuesOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check)

type Shape = Readonly<Record<string, Check>>

const CONTENT: Shape = { key: isText, part: isText, text: isText, logprobs: optional(nullOr(listOf(isObject))) }

const CALL: Shape = {
  key: isText,
  type: isText,
  callId: isTextOrNull,
  name: isTextOrNull,
  arguments: isText,
  namespace: optional(isText),
}

const ERROR: Shape = {
  error: objectOf({ party: isText, code: isText, message: isText, status: Number.isInteger, param: isTextOrNull }),
}

const USAGE: Shape = {
  input_tokens: isCount,
  output_tokens: isCount,
  total_tokens: isCount,
  cached_tokens: isCount,
  reasoning_tokens: isCount,
  cost: optional(isCount),
}

const CITATION: Shape = {
  url: isText,
  title: isTextOrNull,
  content: isTextOrNull,
  span: nullOr(objectOf({ start: Number.isInteger, end: Number.isInteger, unit: isText })),
  marker: isTextOrNull,
  quote: optional(isText),
}

/** The members of each kind that the reducer depends on. */
const SHAPES: Readonly<Record<Delta['kind'], Shape>> = {
  start: { model: isText },
  text: CONTENT,
  refusal: CONTENT,
  reasoning: CONTENT,
  summary: CONTENT,
  opaque: { key: isText, payload: isJson },
  call: CALL,
  final: { whole: (value) => isOfKind(value, ['text', 'refusal', 'reasoning', 'summary', 'call']) },
  phase: { key: isText, phase: isText },
  mark: { key: isText },
  citation: { key: isText, part: isText, citation: objectOf(CITATION) },
  hosted: {
    key: isText,
    item: objectOf({ type: isText, id: isText, status: isText, fields: isObject }),
    done: isFlag,
  },
  progress: { key: isText, name: isText, fields: isObject },
  hold: { key: isText },
  stop: { key: isText },
  usage: { usage: objectOf(USAGE) },
  served: { served: valuesOf(optional(isText)) },
  finish: { reason: oneOf('stop', 'max_output_tokens', 'content_filter') },
  error: ERROR,
  cut: ERROR,
  loss: { feature: isText },
}

function isOfKind(value: unknown, kinds: readonly Delta['kind'][]): boolean {
  return isObject(value) && kinds.some((kind) => kind === value.kind) && faultOfDelta(value) === null
}

/** The path of the first member that makes a value invalid as a delta, as `text.key`; null if it is one. */
export function faultOfDelta(value: unknown): string | null {
  if (!isObject(value) || typeof value.kind !== 'string') return 'kind'
  const { kind } = value
  const shape = lookup(SHAPES, kind)
  if (shape === undefined) return 'kind'
  for (const name in shape) if (shape[name]?.(value[name]) !== true) return `${kind}.${name}`
  return null
}

/** Throws a TypeError if a value is not a list of deltas. */
export function checkDeltas(events: unknown): asserts events is readonly Delta[] {
  if (!Array.isArray(events)) throw new TypeError('events is not a list')
  for (const event of events) {
    const fault = faultOfDelta(event)
    if (fault !== null) throw new TypeError(`${fault} of a delta has another type`)
  }
}
