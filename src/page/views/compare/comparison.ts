import {
  type AlignedFrame,
  type AlignedSource,
  type AlignedTarget,
  type AlignmentSteps,
  alignFrames,
  alignTarget,
  type Finding,
  findingsOfSource,
} from '../../../alignment/align.ts'
import { findTarget } from '../../../alignment/named-target.ts'
import { type FlowPiece, piecesOfFrames, piecesOfTarget, type TargetPiece } from '../../../alignment/text-flows.ts'

/** The rows of a recording with their pieces of text, by row. */
export interface ComparedFrames {
  readonly frames: readonly AlignedFrame[]
  readonly pieces: readonly FlowPiece[]
  readonly piecesOf: ReadonlyMap<number, readonly FlowPiece[]>
  /** Findings about a recorded Responses stream itself. */
  readonly findingsOf: ReadonlyMap<number | null, readonly Finding[]>
}

/** One target with its pieces of text and its findings, by row. */
export interface ComparedTarget {
  readonly aligned: AlignedTarget
  readonly pieces: readonly TargetPiece[]
  readonly piecesOf: ReadonlyMap<number, readonly TargetPiece[]>
  readonly findingsOf: ReadonlyMap<number | null, readonly Finding[]>
}

export interface Comparison extends ComparedFrames {
  readonly targets: readonly ComparedTarget[]
}

/** The time of one slice of work in milliseconds: the page stays smooth at 60 frames a second. */
const SLICE = 10

/** Does the work in slices, between which the page can draw. Rejects with the reason of the signal. */
async function inSlices<Made>(
  steps: AlignmentSteps<Made>,
  signal: AbortSignal,
  report: (bytes: number) => void,
): Promise<Made> {
  for (let until = performance.now() + SLICE; ; ) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() < until) continue
    report(step.value)
    await new Promise((resolve) => setTimeout(resolve))
    signal.throwIfAborted()
    until = performance.now() + SLICE
  }
}

export async function compareFrames(
  source: AlignedSource,
  signal: AbortSignal,
  report: (bytes: number) => void,
): Promise<ComparedFrames> {
  const frames = await inSlices(alignFrames(source), signal, report)
  const pieces = piecesOfFrames(frames)
  return { frames, pieces, piecesOf: byRow(pieces), findingsOf: byRow(findingsOfSource(source, frames)) }
}

/** Returns null for a name that is no target. */
export async function compareTarget(
  source: AlignedSource,
  name: string,
  { frames, pieces: all }: ComparedFrames,
  signal: AbortSignal,
  report: (bytes: number) => void,
): Promise<ComparedTarget | null> {
  const target = findTarget(name)
  if (target === undefined) return null
  const made = await inSlices(alignTarget(source, target, frames.length), signal, report)
  const aligned = { ...made, name }
  const pieces = piecesOfTarget(all, aligned)
  return { aligned, pieces, piecesOf: byRow(pieces), findingsOf: byRow(aligned.findings) }
}

function byRow<Row, One extends { readonly row: Row }>(all: readonly One[]): ReadonlyMap<Row, readonly One[]> {
  const rows = new Map<Row, One[]>()
  for (const one of all) {
    const row = rows.get(one.row)
    if (row === undefined) rows.set(one.row, [one])
    else row.push(one)
  }
  return rows
}
