import { isObject } from '../text/json.ts'

const LONGEST_QUOTE = 40

/** Quotes a short text, because it may be misspelt. The content of a long text is not repeated. */
const describeText = (text: string): string =>
  text.length > LONGEST_QUOTE ? `a string of ${text.length} characters` : JSON.stringify(text)

/**
 * Describes the value that was received. Of anything but short strings, numbers and booleans only the kind is repeated.
 */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  return typeof value === 'string' ? describeText(value) : String(value)
}

/** Formats the allowed words as part of a sentence. */
export const oneOf = (words: readonly unknown[]): string =>
  words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`

/**
 * Characters that JSON does not escape and that do not belong in a log: controls, marks that change the direction of a
 * line, line ends.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu

const escaped = (unseen: string): string =>
  [...unseen].map((it) => `\\u{${it.codePointAt(0)?.toString(16) ?? ''}}`).join('')

/**
 * Formats a step into an object: `.name`. A name with unusual characters is quoted, and of a long one only the length
 * is given.
 */
const formatStep = (name: string): string =>
  /^[\w-]{1,64}$/.test(name) ? `.${name}` : `[${describeText(name).replace(UNSEEN, escaped)}]`

/** Formats a path, such as `input[3].content[0].text`. A name with unusual characters is quoted. */
export function formatPath(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : formatStep(String(step))))
  return steps.length === 0 ? 'body' : steps.join('').replace(/^\./, '')
}

/** Returns the path of a field of the object at `path`; an empty `path` is the body itself. */
export const pathIn = (path: string, name: string): string =>
  path === '' ? formatPath([name]) : path + formatStep(name)
