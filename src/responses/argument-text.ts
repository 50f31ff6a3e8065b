import { appendFlat } from '../text/flat-string.ts'
import { parseJson } from '../text/json.ts'
import {
  isEscaped,
  isQuoted,
  JSON_START,
  type NestedScan,
  nestedAfter,
  scanJson,
  withoutEscape,
} from '../text/json-scan.ts'
import { escapeControl, escapeControls } from '../text/lenient-json.ts'

/**
 * The arguments of one function call, as they arrive. `start`: nothing was written yet, `object`: inside the object,
 * `empty`: behind an empty object, whose end is not written yet, `closed`: behind the object, `other`: the arguments
 * are no object, and are written as they are.
 */
export interface ArgumentText {
  readonly phase: 'start' | 'object' | 'empty' | 'closed' | 'other'
  /** The text that is not written yet, because it may turn out to be no arguments: at the start, and of an empty object. */
  readonly held: string
  /** Whether `held` is a string whose end has not arrived, and ends with an open escape. */
  readonly escaped: boolean
  /** The object so far, as it arrived. */
  readonly text: string
  /** The scan of the text, from its opening bracket on. */
  readonly scan: NestedScan
  /** Nothing but white space follows the opening bracket. */
  readonly bare: boolean
  /** The upstream sends the arguments so far with each piece. */
  readonly resends: boolean
}

export const NO_ARGUMENTS: ArgumentText = {
  phase: 'start',
  held: '',
  escaped: false,
  text: '',
  scan: 0,
  bare: true,
  resends: false,
}

/** The arguments after one more piece, and what is written for it. */
interface ArgumentStep {
  readonly args: ArgumentText
  readonly out: string
  /** Text that followed the object, and was dropped. */
  readonly excess: string
}

const [QUOTE, BACKSLASH, LIST, LIST_END, OBJECT] = [34, 92, 91, 93, 123] as const
const FIRST_PRINTABLE = 32

/**
 * Adds a piece to arguments. An empty list, `null` and an empty string are no arguments, JSON text in JSON text is
 * unwrapped, an object that follows an empty one takes its place, control characters inside strings are escaped, and an
 * object that has closed ends the arguments. Holds back only the beginning, as long as it may be one of these.
 *
 * O(k) for a piece of k characters, amortised over all pieces of a call.
 */
export function addArguments(args: ArgumentText, piece: string): ArgumentStep {
  if (piece === '') return { args, out: '', excess: '' }
  switch (args.phase) {
    case 'start':
      return args.held.charCodeAt(0) === QUOTE ? goOnInString(args, piece) : begin(args, args.held + piece)
    case 'object':
      return repeatsArguments(args.text, piece, args.resends)
        ? goOn(args.resends ? args : { ...args, resends: true }, piece.slice(args.text.length))
        : goOn(args, piece)
    case 'empty':
      return afterEmpty(args, piece)
    case 'closed':
      return { args, out: '', excess: isRepeat(args, piece) ? '' : excessOf(piece) }
    case 'other':
      return { args, out: piece, excess: '' }
  }
}

/** Ends arguments: returns what was held back and is written after all. */
export function endArguments(args: ArgumentText): ArgumentStep {
  if (args.phase === 'empty') return { args: { ...args, phase: 'closed', held: '' }, out: args.held, excess: '' }
  if (args.phase !== 'start' || args.held === '' || args.held === 'null')
    return { args: args.held === '' ? args : { ...args, held: '' }, out: '', excess: '' }
  return { args: { ...args, phase: 'other', held: '' }, out: args.held, excess: '' }
}

/** Returns whole arguments as they would be written piece by piece. */
export function settleArguments(text: string): string {
  const { args, out } = addArguments(NO_ARGUMENTS, text)
  return out + endArguments(args).out
}

/** Brackets and quotation marks too many have no meaning, and neither has `null`. */
const excessOf = (text: string): string => (/^[\s"'`[\]{}]*$/.test(text) || text.trim() === 'null' ? '' : text)

// ---------------------------------------------------------------- before the object

const written = (args: ArgumentText, out: string): ArgumentStep => ({
  args: { ...args, phase: 'other', held: '' },
  out,
  excess: '',
})

const held = (args: ArgumentText, text: string): ArgumentStep => ({
  args: text === args.held ? args : { ...args, held: text },
  out: '',
  excess: '',
})

function begin(args: ArgumentText, all: string): ArgumentStep {
  const text = all.trimStart()
  switch (text.charCodeAt(0)) {
    case OBJECT:
      return goOn({ ...args, phase: 'object', held: '' }, text)
    case LIST:
      return beginList(args, text)
    case QUOTE:
      return goOnInString({ ...args, held: '"', escaped: false }, text.slice(1))
    default:
      return beginWord(args, text)
  }
}

function beginList(args: ArgumentText, text: string): ArgumentStep {
  const inside = text.slice(1).trimStart()
  if (inside === '') return held(args, '[')
  return inside.charCodeAt(0) === LIST_END ? begin({ ...args, held: '' }, inside.slice(1)) : written(args, text)
}

function beginWord(args: ArgumentText, text: string): ArgumentStep {
  if ('null'.startsWith(text)) return held(args, text)
  const [, rest] = /^null(?:\s+|(?=[{["]))(.*)$/s.exec(text) ?? []
  return rest === undefined ? written(args, text) : rest === '' ? held(args, 'null') : begin(args, rest)
}

/** JSON text of JSON text: held back until the string ends. */
function goOnInString(args: ArgumentText, piece: string): ArgumentStep {
  const end = endOfString(piece, args.escaped)
  if (end < 0)
    return {
      args: { ...args, held: appendFlat(args.held, piece), escaped: endsEscaped(piece, args.escaped) },
      out: '',
      excess: '',
    }
  const string = args.held + piece.slice(0, end)
  const rest = piece.slice(end)
  const inner = parseJson(escapeControls(string))
  const step = typeof inner === 'string' ? unwrapped({ ...args, held: '', escaped: false }, inner) : null
  if (step === null) return written(args, string + rest)
  if (rest === '') return step
  const more = addArguments(step.args, rest)
  return { args: more.args, out: step.out + more.out, excess: step.excess + more.excess }
}

/** The object in a string; null if the string has no JSON text of an object. Behind the string, nothing is left of it. */
function unwrapped(args: ArgumentText, inner: string): ArgumentStep | null {
  const first = inner.trimStart().charAt(0)
  if (first !== '' && !'{"[n'.includes(first)) return null
  const step = addArguments(args, inner)
  const { phase, held: left } = step.args
  if (phase === 'object') return { ...step, args: { ...step.args, phase: 'closed' } }
  if (phase === 'closed' || phase === 'empty') return step
  return phase === 'start' && (left === '' || left === 'null') ? { ...step, args: { ...step.args, held: '' } } : null
}

/** The place after the quote that ends a string, of which this is a later piece; -1 if there is none. */
function endOfString(piece: string, escaped: boolean): number {
  let isEscaped = escaped
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at)
    if (isEscaped) isEscaped = false
    else if (code === BACKSLASH) isEscaped = true
    else if (code === QUOTE) return at + 1
  }
  return -1
}

function endsEscaped(piece: string, escaped: boolean): boolean {
  let slashes = 0
  while (slashes < piece.length && piece.charCodeAt(piece.length - 1 - slashes) === BACKSLASH) slashes += 1
  return (slashes === piece.length && escaped ? slashes + 1 : slashes) % 2 === 1
}

// ---------------------------------------------------------------- inside the object

/** Adds text to the object. */
function goOn(args: ArgumentText, piece: string): ArgumentStep {
  if (piece === '') return { args, out: '', excess: '' }
  const isFirst = args.text === ''
  const { at, scan, out } = writeInside(args.scan, piece)
  const bare = args.bare && isBlank(piece.slice(isFirst ? 1 : 0, scan === 0 ? at - 1 : at))
  const text = appendFlat(args.text, piece.slice(0, at))
  if (scan !== 0) return { args: { ...args, text, scan, bare }, out, excess: '' }
  const isWhole = bare && isFirst
  const ended: ArgumentText = {
    ...args,
    phase: bare ? 'empty' : 'closed',
    held: isWhole ? text : bare ? '}' : '',
    text,
    scan,
    bare,
  }
  const shown = isWhole ? '' : bare ? out.slice(0, -1) : out
  const rest = piece.slice(at)
  if (rest === '') return { args: ended, out: shown, excess: '' }
  const more = addArguments(ended, rest)
  return { args: more.args, out: shown + more.out, excess: more.excess }
}

/** Whether a text is white space of JSON alone. */
export const isBlank = (text: string): boolean => /^[ \t\n\r]*$/.test(text)

/** A piece of an object, as it is written. */
interface InsideStep {
  /** Where the object ended in the piece; its length if it did not. */
  readonly at: number
  /** The scan behind it; 0 if the object has ended. */
  readonly scan: NestedScan
  readonly out: string
}

/**
 * Writes a piece of an object up to the end of the object. Control characters inside strings are escaped; other text is
 * not changed. O(k) for a piece of k characters.
 */
function writeInside(before: NestedScan, piece: string): InsideStep {
  let scan = before
  let out = ''
  let from = 0
  for (let at = 0; at < piece.length; at += 1) {
    if (isQuoted(scan) && !isEscaped(scan)) at = plainEnd(piece, at)
    if (at === piece.length) break
    const code = piece.charCodeAt(at)
    if (code < FIRST_PRINTABLE && isQuoted(scan)) {
      // A backslash before such a character is one of the text.
      out += `${piece.slice(from, at)}${isEscaped(scan) ? '\\' : ''}${escapeControl(piece.charAt(at))}`
      from = at + 1
      scan = withoutEscape(scan)
      continue
    }
    scan = nestedAfter(scan, code)
    if (scan === 0) return { at: at + 1, scan, out: out + piece.slice(from, at + 1) }
  }
  return { at: piece.length, scan, out: from === 0 ? piece : out + piece.slice(from) }
}

/** The index of the next character that ends a string, escapes another one, or has to be escaped. */
function plainEnd(piece: string, from: number): number {
  let at = from
  for (; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at)
    if (code === QUOTE || code === BACKSLASH || code < FIRST_PRINTABLE) return at
  }
  return at
}

/**
 * Writes a piece that only continues an object with `length` characters so far. null if it ends the object, or may
 * repeat the arguments, which takes a piece as long as they are.
 */
export function writeMore(scan: NestedScan, length: number, piece: string): InsideStep | null {
  if (piece === '' || (beginsArguments(piece) && piece.length >= length)) return null
  const step = writeInside(scan, piece)
  return step.scan === 0 ? null : step
}

/** Behind an empty object: another object takes its place, whose opening bracket may be written already. */
function afterEmpty(args: ArgumentText, piece: string): ArgumentStep {
  const rest = piece.trimStart()
  if (rest === '') return { args, out: '', excess: '' }
  if (rest.charCodeAt(0) !== OBJECT) {
    const ended = endArguments(args)
    return { args: ended.args, out: ended.out, excess: excessOf(rest) }
  }
  const inside: ArgumentText = { ...NO_ARGUMENTS, phase: 'object', resends: args.resends }
  const step = goOn(inside, rest)
  if (args.held !== '}') return step
  return step.args.phase === 'empty'
    ? { ...step, args: { ...step.args, held: '}' } }
    : { ...step, out: step.out.slice(1) }
}

// ---------------------------------------------------------------- repeated arguments

/** True if arguments may begin with this piece. */
export const beginsArguments = (piece: string): boolean => piece.charCodeAt(0) === OBJECT

const isRepeat = ({ text }: ArgumentText, piece: string): boolean =>
  beginsArguments(piece) && (piece.startsWith(text) || text.startsWith(piece))

/** The characters that may follow a string inside JSON. */
const AFTER_STRING = /^[ \t\n\r]*(?:[,:}\]]|$)/

/**
 * Returns whether a piece repeats the arguments so far, as Baidu and some servers send them, and the join of both can be
 * no JSON. A nested object may begin as the arguments do. `resends`: an earlier piece of this call has repeated them.
 */
export function repeatsArguments(before: string, piece: string, resends = false): boolean {
  if (before === '' || piece.length < before.length || !beginsArguments(piece) || !piece.startsWith(before))
    return false
  if (resends) return true
  const { phase, quoted, escaped } = scanJson(JSON_START, before)
  if (phase === 'over') return true
  if (!quoted) return !/[[:,][ \t\n\r]*$/.test(before)
  const end = endOfString(piece, escaped)
  return end >= 0 && end < piece.length && !AFTER_STRING.test(piece.slice(end))
}
