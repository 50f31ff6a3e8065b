import type { Finding } from '../../../alignment/align.ts'
import type { TextRange } from '../../../alignment/json-strings.ts'
import type { FlowKind } from '../../../alignment/text-flows.ts'
import { placesOfPieces } from '../../../alignment/text-places.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { ComparedFrames, ComparedTarget } from './comparison.ts'

/** A part of the text of a flow, which the user follows through the columns. */
export interface FlowRange extends TextRange {
  readonly flow: string
}

/** A range of a text that carries a part of a flow. */
export interface Mark extends TextRange {
  readonly carries: FlowRange
  readonly kind: FlowKind
}

/** One line of a cell. */
export interface CellLine {
  readonly label: string
  /** The group of colours of the line. */
  readonly tone: Tone
  readonly text: string
  readonly marks: readonly Mark[]
}

export type Tone = 'text' | 'reasoning' | 'tool' | 'citation' | 'error' | 'plain' | 'quiet'

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
  pieces: readonly {
    readonly flow: string
    readonly kind: FlowKind
    readonly text: string
    readonly start: number
    readonly end: number
  }[],
): readonly Mark[] =>
  placesOfPieces(text, pieces).flatMap((range, at) => {
    const piece = pieces[at]
    if (range === null || piece === undefined) return []
    const { flow, kind, start, end } = piece
    return [{ ...range, kind, carries: { flow, start, end } }]
  })

/** The line of a frame: its name and its data. */
export function frameLine({ frames, piecesOf }: ComparedFrames, row: number): CellLine {
  const frame = frames[row]
  if (frame === undefined || frame.frame === 'end') return { label: 'end', tone: 'quiet', text: '', marks: [] }
  const label = frame.frame === 'body' ? 'body' : frame.event
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

/** A line of a target with the index of its event in the row. */
export interface EventLine extends CellLine {
  readonly index: number
  readonly findings: readonly Finding[]
}

/** The lines of the events that the target writes; others have none. */
export function eventLines({ aligned, piecesOf, findingsOf }: ComparedTarget, row: number): readonly EventLine[] {
  const pieces = piecesOf.get(row) ?? []
  const findings = findingsOf.get(row) ?? []
  return (aligned.rows[row] ?? []).flatMap(({ event, written }, index) => {
    if (written === '') return []
    const own = pieces.filter((piece) => piece.index === index)
    const kind = own[0]?.kind
    const line = {
      label: event?.type ?? 'end of stream',
      tone: kind === undefined ? toneOfEvent(event?.type ?? '') : TONES[kind],
      text: written,
      marks: marksIn(written, own),
    }
    return [{ ...line, index, findings: findings.filter((finding) => finding.index === index) }]
  })
}

const toneOfEvent = (type: string): Tone =>
  type === 'error' || type === 'failed' ? 'error' : type.includes('annotation') ? 'citation' : 'quiet'

/** The number of lines of the cell of a target. */
export const countLines = ({ aligned, findingsOf }: ComparedTarget, row: number): number => {
  const written = (aligned.rows[row] ?? []).filter((one) => one.written !== '').length
  return written + (findingsOf.get(row)?.length ?? 0)
}

export const isLit = (carries: FlowRange, selected: FlowRange | null): boolean =>
  selected !== null && selected.flow === carries.flow && carries.start < selected.end && selected.start < carries.end

/** A piece of a text, with its mark if it has one. */
export interface Segment {
  readonly text: string
  readonly mark: Mark | null
}

/** Divides a text at its marks, which are in order and do not overlap. */
export function segmentsOf(text: string, marks: readonly Mark[]): readonly Segment[] {
  const segments: Segment[] = []
  let at = 0
  for (const mark of marks) {
    if (mark.start > at) segments.push({ text: text.slice(at, mark.start), mark: null })
    segments.push({ text: text.slice(Math.max(at, mark.start), mark.end), mark })
    at = mark.end
  }
  if (at < text.length) segments.push({ text: text.slice(at), mark: null })
  return segments
}

/** Characters of the text before its first mark, and in all, that a line of a cell shows. */
const BEFORE = 18
const LONGEST = 240

/** Returns the part of a text around its first mark, or its beginning without the prefix of its framing. */
export function excerptOf(
  text: string,
  marks: readonly Mark[],
): { readonly text: string; readonly marks: readonly Mark[] } {
  const first = marks[0]
  const start = first === undefined ? dataStart(text) : Math.max(dataStart(text), first.start - BEFORE)
  const cut = first !== undefined && start > dataStart(text)
  const lead = cut ? '…' : ''
  const shift = lead.length - start
  const shown = lead + text.slice(start, start + LONGEST).replace(/[\r\n]+$/, '')
  const inside = marks.filter((mark) => mark.end - start <= LONGEST)
  return { text: shown, marks: inside.map((mark) => ({ ...mark, start: mark.start + shift, end: mark.end + shift })) }
}

function dataStart(text: string): number {
  const found = /^(?:event: [^\n]*\n)?data: /.exec(text)
  return found === null ? 0 : found[0].length
}
