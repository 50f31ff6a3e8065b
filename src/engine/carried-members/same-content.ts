import { isObject, toCamel } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'

/** The ways in which the hub joins several texts into one. */
const SEPARATORS = ['\n\n', '\n', ''] as const

const TEXT_TYPES: ReadonlySet<unknown> = new Set([undefined, 'text', 'input_text', 'output_text'])

const isText = (part: unknown): part is { readonly text: string } =>
  isObject(part) &&
  typeof part.text === 'string' &&
  TEXT_TYPES.has(part.type) &&
  Object.keys(part).every((name) => name === 'text' || name === 'type')

/** The texts of a content that is only text: a string, or a list of parts; null for any other content. */
function textsOf(content: unknown): readonly string[] | null {
  if (typeof content === 'string') return [content]
  return Array.isArray(content) && content.length > 0 && content.every(isText) ? content.map(({ text }) => text) : null
}

const isSameText = (left: readonly string[], right: readonly string[]): boolean =>
  SEPARATORS.some((separator) => left.join(separator) === right.join(separator))

/** Whether a value requests nothing, so that it may as well be left out. */
const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0)

/** The name under which an object has a member: Gemini accepts each name in camel case and in snake case. */
export function ownName(object: Readonly<Record<string, unknown>>, name: string): string | null {
  if (Object.hasOwn(object, name)) return name
  const camel = name.includes('_') ? toCamel(name) : name
  return Object.hasOwn(object, camel) ? camel : null
}

/** Whether two values of one protocol mean the same in it, though one of them was decoded and encoded again. */
export function hasSameContent(left: unknown, right: unknown): boolean {
  if (left === right || (isNothing(left) && isNothing(right))) return true
  const [first, second] = [textsOf(left), textsOf(right)]
  if (first !== null && second !== null) return isSameText(first, second)
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((value, at) => hasSameContent(value, right[at]))
  if (!isObject(left) || !isObject(right)) return false
  const names = [...Object.keys(left), ...Object.keys(right)]
  return names.every((name) => hasSameContent(lookup(left, name), lookup(right, name)))
}
