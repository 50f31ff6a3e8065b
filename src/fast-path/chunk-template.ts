import type { Boundary, Delimiters } from '../framing/boundary.ts'
import type { Frame } from '../framing/frame.ts'
import type { FramePrinter, Printer } from '../output/frame-printer.ts'
import { isCompleteJson } from '../text/json.ts'
import { utf8Length } from '../text/utf8.ts'
import { type BytePattern, toBytePattern } from './patterns/match-bytes.ts'
import { type Pattern, type PatternWidth, patternsOf, type TemplateFields, wrapPattern } from './patterns/pattern.ts'
import { filled, looksAtMore, type Proved, prove } from './prove-template.ts'
import { type Machines, type Position, runOne } from './slow-path.ts'
import { isSameExcept, scanPath } from './state-diff.ts'
import { trackFieldAccess } from './track-field-access.ts'

/**
 * Chunks that differ from a proved one only in their text and their counts, and the output of these chunks. A template
 * is valid as long as all machines are in the same state, except for what changes with each chunk. States are
 * compared by identity.
 */
export interface ChunkTemplate extends Proved {
  /** The pattern of the whole frame, as it arrives. */
  readonly pattern: BytePattern
  /** The frame inside: its name, and the number of bytes before and after its payload. */
  readonly event: string
  readonly before: number
  readonly behind: number
  readonly provedAt: Position
  /** Where the decoder keeps the scan of the JSON value that the text must stay in; null if any text matches. */
  readonly scan: readonly string[] | null
  /** Prints the frame that is emitted; null if the target has none. */
  readonly framePrinter: FramePrinter | null
}

/** A template, and the pattern of its payload. */
export interface Learned {
  readonly template: ChunkTemplate
  readonly pattern: Pattern
}

/** The fields with text, the framing and the output of a stream. */
export interface TemplateContext {
  readonly leaves: TemplateFields
  readonly boundary: Boundary
  readonly printer: Printer
  /** Null if the chunks are always translated. */
  readonly passed: object | null
}

/** One frame that was read, and its bytes. */
export interface StepResult {
  readonly bytes: Uint8Array
  readonly frame: Frame
}

/**
 * Returns the template of which this chunk and an earlier one are instances; null if there is none. It is proved, not
 * guessed: with other text in its slot, and anything in the fields that no decoder reads, the machines must emit the
 * same frame with that text, and return to the same state.
 */
export function learn(
  machines: Machines,
  position: Position,
  { bytes, frame }: StepResult,
  earlier: string,
  context: TemplateContext,
  width: PatternWidth,
): Learned | null {
  const around = context.boundary.around(bytes, frame.data)
  // Decoders ignore a payload that is not JSON, which does not prove that any text may be in its place.
  if (around === null || !isCompleteJson(frame.data)) return null
  const { event } = frame
  const edited = context.passed === null ? [] : (context.leaves.edited ?? [])
  const readIn = (data: string) =>
    trackFieldAccess({ event, data }, (tracked) => void runOne(machines, position, tracked), edited)
  for (const pattern of patternsOf(frame.data, earlier, context.leaves, () => readIn(frame.data), width)) {
    const proved = prove(
      (probe, from) => runOne(machines, from, { event, data: filled(pattern, probe) }),
      position,
      pattern.slots.includes('count'),
    )
    if (proved === null || looksAtMore(pattern, readIn)) continue
    const template = toTemplate(pattern, around, event, context, position, proved)
    if (template.nested && template.scan === null) continue
    return { template, pattern }
  }
  return null
}

/** Returns the template of frames with such a payload. */
export const toTemplate = (
  pattern: Pattern,
  { before, behind }: Delimiters,
  event: string,
  { boundary: { prefix, suffix }, printer }: TemplateContext,
  provedAt: Position,
  proved: Proved,
): ChunkTemplate => ({
  pattern: toBytePattern(wrapPattern(pattern, before, behind)),
  event,
  before: prefix + utf8Length(before),
  behind: utf8Length(behind) + suffix,
  provedAt,
  scan: proved.nested ? scanPath(proved.moves.upstream) : null,
  framePrinter: proved.parts === null ? null : printer.printerOf(proved.parts),
  ...proved,
})

/** Returns whether the template is valid in the present states of the machines. */
export const isStillValid = (
  { provedAt, moves }: ChunkTemplate,
  { upstream, responseState, writerState }: Position,
): boolean =>
  responseState.active === provedAt.responseState.active &&
  isSameExcept(responseState.response, provedAt.responseState.response, moves.response) &&
  isSameExcept(upstream, provedAt.upstream, moves.upstream) &&
  isSameExcept(writerState.inner, provedAt.writerState.inner, moves.writer)
