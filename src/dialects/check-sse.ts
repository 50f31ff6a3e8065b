import { show } from '../conformance/rules.ts'
import { isNonEmptyString, isObject, parseJson } from '../text/json.ts'
import type { Dialect } from './dialect.ts'

/** The rules for the bytes of a file. */
export const FRAME_RULES = {
  framing: 'lines end with LF; a frame is one data line, and an event line where the dialect has them',
  json: 'the data of a frame is a JSON object with a type',
  'event-line': 'the event line of a frame equals the type; a dialect without event lines has none',
  terminator: 'the terminator is the last frame, and has no event line',
} as const

export type FrameRule = keyof typeof FRAME_RULES

interface FrameViolation {
  /** Number of the frame from 0; null if the violation concerns the whole file. */
  readonly event: number | null
  readonly rule: FrameRule
  readonly message: string
}

export interface CheckedFrame {
  readonly number: number
  readonly type: string
  readonly fields: Readonly<Record<string, unknown>>
}

interface CheckedFrames {
  readonly frames: readonly CheckedFrame[]
  readonly violations: readonly FrameViolation[]
}

type Report = (event: number | null, rule: FrameRule, message: string) => void

/**
 * Returns the frames of a file, and the violations in its bytes; yields after each frame. A reader of streams accepts
 * any line ending and unknown fields; this checker reports everything that such a reader accepts. Comments are allowed
 * anywhere.
 */
export function* checkFrames(text: string, dialect: Dialect): Generator<undefined, CheckedFrames> {
  const violations: FrameViolation[] = []
  const report: Report = (event, rule, message) => violations.push({ event, rule, message })
  checkBytes(text, report)
  const blocks = splitBlocks(text)
  const frames: CheckedFrame[] = []
  for (const [number, lines] of blocks.entries()) {
    const frame = checkBlock(lines, number, dialect, report)
    if (frame !== null) frames.push(frame)
    yield
  }
  checkTerminator(blocks, dialect, report)
  return { frames, violations }
}

function checkBytes(text: string, report: Report): void {
  if (text.includes('\r')) report(null, 'framing', 'a carriage return: lines must end with LF')
  if (text.startsWith('\uFEFF')) report(null, 'framing', 'a byte order mark')
  if (text !== '' && !text.endsWith('\n\n')) report(null, 'framing', 'the last frame does not end with a blank line')
}

/** Returns the lines of each frame, without its comments. */
function splitBlocks(text: string): readonly (readonly string[])[] {
  const blocks: string[][] = [[]]
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    if (line === '') blocks.push([])
    else if (!line.startsWith(':')) blocks.at(-1)?.push(line)
  }
  return blocks.filter((lines) => lines.length > 0)
}

const valuesOf = (lines: readonly string[], field: string): readonly string[] =>
  lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2))

const LINE = /^(?:data|event): \S/

function checkBlock(lines: readonly string[], number: number, dialect: Dialect, report: Report): CheckedFrame | null {
  for (const line of lines) if (!LINE.test(line)) report(number, 'framing', `neither data nor event: ${show(line)}`)
  const events = valuesOf(lines, 'event')
  const [data, ...more] = valuesOf(lines, 'data')
  if (data === undefined || more.length > 0) {
    report(number, 'framing', `a frame with ${data === undefined ? 'no data line' : `${more.length + 1} data lines`}`)
    return null
  }
  if (data === dialect.terminator) {
    if (events.length > 0) report(number, 'terminator', 'the terminator has an event line')
    return null
  }
  const fields = parseJson(data)
  if (!isObject(fields) || !isNonEmptyString(fields.type)) {
    report(number, 'json', `not a JSON object with a type: ${show(data)}`)
    return null
  }
  checkEventLine(events, fields.type, number, dialect, report)
  return { number, type: fields.type, fields }
}

function checkEventLine(
  events: readonly string[],
  type: string,
  number: number,
  { eventLines }: Dialect,
  report: Report,
): void {
  const expected = eventLines ? 1 : 0
  if (events.length !== expected) report(number, 'event-line', `${events.length} event lines, expected ${expected}`)
  else if (eventLines && events[0] !== type)
    report(number, 'event-line', `event ${show(events[0])}, type ${show(type)}`)
}

function checkTerminator(blocks: readonly (readonly string[])[], dialect: Dialect, report: Report): void {
  const at = blocks.findIndex((lines) => valuesOf(lines, 'data').includes(dialect.terminator))
  if (at >= 0 && at !== blocks.length - 1) report(at, 'terminator', 'the terminator is not the last frame')
  // Sequence numbers show that no event is missing, and not every vendor of the standard sends a terminator.
  if (at < 0 && !dialect.numbered) report(null, 'terminator', 'the terminator is missing')
}
