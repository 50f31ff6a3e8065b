import { appendFlat } from '../text/flat-string.ts'
import { parseJson } from '../text/json.ts'
import { JSON_START, type JsonScan, scanJson } from '../text/json-scan.ts'
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
  /** The scan of the first `scanned` characters of the text. */
  readonly scan: JsonScan
  readonly scanned: number
  /** Nothing but white space follows the opening bracket, in the scanned text. */
  readonly bare: boolean
  /** The upstream sends the arguments so far with each piece. */
  readonly resends: boolean
}

export const NO_ARGUMENTS: ArgumentText = {
  phase: 'start',
  held: '',
  escaped: false,
  text: '',
  scan: JSON_START,
  scanned: 0,
  bare: true,
  resends: false,
}

/** The arguments after one more piece, and what is written for it. */
export interface ArgumentStep {
  readonly args: ArgumentText
  readonly out: string
  /** Text that followed the object, and was dropped. */
  readonly excess: string
}

const [QUOTE, BACKSLASH, LIST, LIST_END, OBJECT, OBJECT_END] = [34, 92, 91, 93, 123, 125] as const
const FIRST_PRINTABLE = 32
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13 && code !== 11 && code !== 12)

/**
 * Whether a piece inside an object can be written without a look at the text before it: it does not begin as arguments
 * do, and has no closing brace and no control character. The fast path tests its bytes for the same.
 */
export function isPlainPiece(piece: string): boolean {
  if (piece === '' || piece.charCodeAt(0) === OBJECT) return false
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at)
    if (code < FIRST_PRINTABLE || code === OBJECT_END) return false
  }
  return true
}

/** Characters behind the last scan, after which it is renewed: each character is scanned at most a few times. */
const MOST_UNSCANNED = 1024

const LONGEST_NULL = 4

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

/** Brackets and quotation marks too many have no meaning. */
const excessOf = (text: string): string => (/^[\s"'`[\]{}]*$/.test(text) ? '' : text)

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
  if (text.length <= LONGEST_NULL && 'null'.startsWith(text)) return held(args, text)
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

/** Adds text to the object. Only text with a bracket or a control character needs the scan of what came before. */
function goOn(args: ArgumentText, piece: string): ArgumentStep {
  if (piece === '') return { args, out: '', excess: '' }
  if (args.text !== '' && isPlainPiece(piece))
    return { args: { ...args, text: appendFlat(args.text, piece) }, out: piece, excess: '' }
  const passed = scanUnscanned(args)
  const { at, scan, bare, out, emptied } = writeObject(passed.scan, passed.bare, piece)
  const text = appendFlat(args.text, piece.slice(0, at))
  if (scan.phase === 'over') {
    const isWhole = emptied && args.text === ''
    const ended: ArgumentText = {
      ...args,
      phase: emptied ? 'empty' : 'closed',
      held: isWhole ? text : emptied ? '}' : '',
      text,
      scan,
      scanned: text.length,
      bare,
    }
    const shown = isWhole ? '' : out
    const rest = piece.slice(at)
    if (rest === '') return { args: ended, out: shown, excess: '' }
    const more = addArguments(ended, rest)
    return { args: more.args, out: shown + more.out, excess: more.excess }
  }
  // As long as little text is left unscanned, the state keeps its scan: the fast path knows it by its identity.
  return args.text !== '' && text.length - args.scanned <= MOST_UNSCANNED
    ? { args: { ...args, text }, out, excess: '' }
    : { args: { ...args, text, scan, scanned: text.length, bare }, out, excess: '' }
}

/** The scan of all text so far. */
function scanUnscanned({ scan, scanned, text, bare }: ArgumentText): {
  readonly scan: JsonScan
  readonly bare: boolean
} {
  const rest = text.slice(scanned)
  return rest === '' ? { scan, bare } : { scan: scanJson(scan, rest), bare: bare && rest.trim() === '' }
}

interface ObjectStep {
  /** Where the object ended in the piece; its length if it did not. */
  readonly at: number
  readonly scan: JsonScan
  readonly bare: boolean
  readonly out: string
  /** The object has ended, and has no members: its bracket is not written. */
  readonly emptied: boolean
}

/** Writes a piece of the object up to its end. Control characters inside strings are escaped; other text is not changed. */
function writeObject(before: JsonScan, bareBefore: boolean, piece: string): ObjectStep {
  let { depth, quoted, escaped } = before
  let bare = bareBefore
  let out = ''
  let from = 0
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at)
    if (quoted) {
      if (code < FIRST_PRINTABLE) {
        // A backslash before such a character is one of the text.
        out += `${piece.slice(from, at)}${escaped ? '\\' : ''}${escapeControl(piece.charAt(at))}`
        from = at + 1
        escaped = false
      } else if (escaped) escaped = false
      else if (code === BACKSLASH) escaped = true
      else if (code === QUOTE) quoted = false
      continue
    }
    if (isSpace(code)) continue
    if (code === OBJECT_END || code === LIST_END) {
      depth -= 1
      if (depth === 0) {
        const scan: JsonScan = { phase: 'over', depth, quoted, escaped }
        const end = bare ? at : at + 1
        return { at: at + 1, scan, bare, out: out + piece.slice(from, end), emptied: bare }
      }
    } else if (code === OBJECT || code === LIST) depth += 1
    else if (code === QUOTE) quoted = true
    if (depth > 1 || code !== OBJECT) bare = false
  }
  return {
    at: piece.length,
    scan: { phase: 'inside', depth, quoted, escaped },
    bare,
    out: from === 0 ? piece : out + piece.slice(from),
    emptied: false,
  }
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
