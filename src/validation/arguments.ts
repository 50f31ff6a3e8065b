import { FORMATS, type FormatName } from '../framing/format.ts'
import { LIMITS, type Limits } from '../protocol/limits.ts'
import { describeValue, oneOf } from './messages.ts'

/**
 * Mistakes of a program in plain JavaScript, which no compiler reports. Each check throws a TypeError that names the
 * argument, what is expected and what was received.
 */

/** The kind of an object as the language names it, also of another realm: `Uint8Array`, `Promise`, `Object`. */
const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice('[object '.length, -1)

const describeArgument = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && kindOf(value) !== 'Object'
    ? `a value of the type ${kindOf(value)}`
    : typeof value === 'function'
      ? 'a function'
      : describeValue(value)

const mistake = (name: string, expected: string, value: unknown): TypeError =>
  new TypeError(`${name}: expected ${expected}, got ${describeArgument(value)}`)

export function checkOptions(options: unknown, name = 'options'): void {
  if (kindOf(options) !== 'Object') throw mistake(name, 'an object', options)
}

/** A body as text or as a JSON value: bytes and promises would be read as an object without members. */
export function checkRequestBody(body: unknown, name = 'body'): void {
  if (typeof body === 'object' && body !== null && !Array.isArray(body) && kindOf(body) !== 'Object')
    throw mistake(name, 'text or a JSON value', body)
}

/** The body of an answer: no value in its place is one. */
export function checkAnswerBody(body: unknown): void {
  if (typeof body !== 'string' && kindOf(body) !== 'Object') throw mistake('body', 'text or a JSON object', body)
}

export function checkText(text: unknown, name: string): void {
  if (typeof text !== 'string') throw mistake(name, 'text', text)
}

/** One read of a stream. `Buffer` is a `Uint8Array`. */
export function checkBytes(bytes: unknown, name: string): void {
  // Bytes of another realm are no instance of its class here.
  if (!(bytes instanceof Uint8Array) && kindOf(bytes) !== 'Uint8Array') throw mistake(name, 'bytes (Uint8Array)', bytes)
}

/** A source of the bytes of an answer. */
export function checkInput(input: unknown): void {
  if (typeof input === 'object' && input !== null && READABLE.some((name) => name in input)) return
  throw mistake('input', 'a ReadableStream, an async iterable of bytes, or a Response', input)
}

export function checkResponse(response: unknown, name: string): void {
  if (typeof response !== 'object' || response === null || !('headers' in response))
    throw mistake(name, 'a Response', response)
}

const READABLE = ['getReader', Symbol.asyncIterator, 'headers'] as const

/** The call of a request that was refused has a failure in place of an answer. */
export function checkCall(call: unknown): void {
  if (typeof call !== 'object' || call === null || !('answer' in call))
    throw mistake('call', 'a call with ok: true, from encodeRequest', call)
}

/** A failure that the library returned; an `Error` has no code and no status. */
export function checkFailure(error: unknown): void {
  const { code, status } = (error ?? {}) as { readonly code?: unknown; readonly status?: unknown }
  if (typeof code !== 'string' || typeof status !== 'number')
    throw mistake('error', 'an object with code, message and status', error)
}

export function checkBaseUrl(url: string, name: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(`${name}: expected an http or https URL, got ${JSON.stringify(url)}`)
}

/** `isFixed`: the protocol has only server-sent events. */
export function checkFormat(format: FormatName | undefined, isFixed: boolean): void {
  if (format === undefined) return
  const names = isFixed ? ['sse'] : Object.keys(FORMATS)
  if (!names.includes(format)) throw mistake('format', oneOf(names), format)
}

export function checkLimits(limits: Partial<Limits> = {}): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(LIMITS, name))
      throw new TypeError(`limits: expected ${Object.keys(LIMITS).join(', ')}, got ${JSON.stringify(name)}`)
    if (value !== undefined && !(value > 0)) throw mistake(`limits.${name}`, 'a number above 0', value)
  }
}
