import type { Finding } from '../../../alignment/align.ts'
import type { WrittenEvent } from '../../../alignment/frame-recorder.ts'
import type { TextRange } from '../../../alignment/json-strings.ts'
import type { FlowKind, FlowPiece } from '../../../alignment/text-flows.ts'
import { placesOfEchoes, placesOfPieces } from '../../../alignment/text-places.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { ComparedFrames, ComparedTarget } from './compared.ts'

/** A part of the text of a flow, which the user follows through the columns. */
export interface FlowRange extends TextRange {
  readonly flow: string
}

/** A range of a text that carries a part of a flow. */
export interface Mark extends TextRange {
  readonly carries: FlowRange
  readonly kind: FlowKind
}

export interface CellLine {
  readonly label: string
  /** The group of colours of the line. */
  readonly tone: Tone
  readonly text: string
  readonly marks: readonly Mark[]
}

type Tone = 'text' | 'reasoning' | 'tool' | 'citation' | 'error' | 'plain' | 'quiet'

export const TONES: Readonly<Record<FlowKind, Tone>> = {
  text: 'text',
  refusal: 'error',
  reasoning: 'reasoning',
  summary: 'reasoning',
  call: 'tool',
}

const TONES_OF_DELTAS: Readonly<Partial<Record<Delta['kind'], Tone>>> = {
  ...TONES,
  opaque: 'reasoning',
  hosted: 'tool',
  progress: 'tool',
  citation: 'citation',
  mark: 'citation',
  error: 'error',
  cut: 'error',
  loss: 'error',
}

const marksIn = (
  text: string,
  pieces: readonly Pick<FlowPiece, 'flow' | 'kind' | 'text' | 'start' | 'end'>[],
): readonly Mark[] =>
  placesOfPieces(text, pieces).flatMap((range, at) => {
    const piece = pieces[at]
    if (range === null || piece === undefined) return []
    const { flow, kind, start, end } = piece
    return [{ ...range, kind, carries: { flow, start, end } }]
  })

/** The line of a frame: its name and its data. */
export function frameCell({ frames, piecesOf }: ComparedFrames, row: number): CellLine {
  const frame = frames[row]
  if (frame === undefined || frame.frame === 'end') return { label: 'end', tone: 'quiet', text: '', marks: [] }
  const label = frame.frame === 'body' ? 'body' : frame.event === '' ? labelOf(frame.data) : shortened(frame.event)
  return { label, tone: 'plain', text: frame.data, marks: marksIn(frame.data, piecesOf.get(row) ?? []) }
}

export function deltaLines({ frames, piecesOf }: ComparedFrames, row: number): readonly CellLine[] {
  const pieces = piecesOf.get(row) ?? []
  return (frames[row]?.deltas ?? []).map((delta, index) => {
    const { kind: label, ...fields } = delta
    const text = textFirst(fields)
    const own = pieces.filter((piece) => piece.index === index)
    return { label, tone: TONES_OF_DELTAS[label] ?? 'quiet', text, marks: marksIn(text, own) }
  })
}

/** The key of a delta is a vendor's word, which could be the same as its text: the text comes first. */
function textFirst(fields: object): string {
  const { text, arguments: parts, ...rest } = fields as { readonly text?: unknown; readonly arguments?: unknown }
  return JSON.stringify({ text, arguments: parts, ...rest })
}

/** A line of a target: one frame of its stream, with the findings of its event. */
interface WrittenLine extends CellLine {
  readonly findings: readonly Finding[]
}

/** The frames that a target writes for a row. An event may be written as several frames, or as none. */
export function targetLines({ aligned, piecesOf, findingsOf }: ComparedTarget, row: number): readonly WrittenLine[] {
  const pieces = piecesOf.get(row) ?? []
  const findings = findingsOf.get(row) ?? []
  return (aligned.rows[row] ?? []).flatMap(({ event, written }, index) => {
    const own = pieces.filter((piece) => piece.index === index)
    const marks = withEchoes(written, own, marksIn(written, own))
    const frames = framesIn(written)
    let start = 0
    return frames.map((text, at): WrittenLine => {
      const end = start + text.length
      const inside = marks.filter((mark) => mark.start >= start && mark.end <= end)
      const kind = inside[0]?.kind
      const line = {
        label: labelOf(text),
        tone: kind === undefined ? toneOfEvent(event?.type ?? '') : TONES[kind],
        text,
        marks: inside.map((mark) => ({ ...mark, start: mark.start - start, end: mark.end - start })),
        findings: at < frames.length - 1 ? [] : findings.filter((finding) => finding.index === index),
      }
      start = end
      return line
    })
  })
}

/** Some targets write a text twice in one frame: in a field of the vendor, and in the usual one. */
function withEchoes(text: string, pieces: readonly FlowPiece[], marks: readonly Mark[]): readonly Mark[] {
  const [piece, mark] = [pieces[0], marks[0]]
  if (pieces.length !== 1 || piece === undefined || mark === undefined) return marks
  return [mark, ...placesOfEchoes(text, piece.text, mark.end).map((range) => ({ ...mark, ...range }))]
}

/** Divides the output of a target into its frames: messages of server-sent events, or lines. */
function framesIn(written: string): readonly string[] {
  const end = written.includes('\n\n') ? '\n\n' : '\n'
  const frames: string[] = []
  let at = 0
  // Not by a regular expression, which takes a second for the megabytes of some events.
  for (let found = written.indexOf(end); found >= 0; found = written.indexOf(end, at)) {
    frames.push(written.slice(at, found + end.length))
    at = found + end.length
  }
  if (at < written.length) frames.push(written.slice(at))
  return frames
}

/** The name of an event: in a line of its own, or in the first member of the JSON. */
const EVENT_NAME = /^(?:event: ([^\n]*)|(?:data: )?\{"type": ?"([\w.-]*)")/

/** Most names of the Responses API begin with the same word. */
const shortened = (name: string): string => name.replace(/^response\./, '')

function labelOf(text: string): string {
  const [, line, member] = EVENT_NAME.exec(text) ?? []
  return shortened(line ?? member ?? '')
}

const toneOfEvent = (type: string): Tone =>
  type === 'error' || type === 'failed' ? 'error' : type.includes('annotation') ? 'citation' : 'quiet'

/** The findings of one event that have a line of their own; one more line counts the others. */
export const SHOWN_FINDINGS = 3

export const countFindings = (findings: readonly Finding[] = []): number =>
  Math.min(findings.length, SHOWN_FINDINGS + 1)

/** The number of lines of the cell of a target, given its events and their findings. */
export const countLines = (events: readonly WrittenEvent[], findings: readonly Finding[] = []): number =>
  events.reduce((lines, { written }, index) => {
    const own = findings.length === 0 ? findings : findings.filter((finding) => finding.index === index)
    return lines + framesIn(written).length + countFindings(own)
  }, 0)

export const isLit = (carries: FlowRange, selected: FlowRange | null): boolean =>
  selected !== null && selected.flow === carries.flow && carries.start < selected.end && selected.start < carries.end
