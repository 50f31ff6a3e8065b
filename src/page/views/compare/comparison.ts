import {
  type AlignedSource,
  type AlignedTarget,
  type AlignmentSteps,
  alignFrames,
  alignTarget,
  type Finding,
  findingsOfSource,
} from '../../../alignment/align.ts'
import { findTarget } from '../../../alignment/named-target.ts'
import { piecesOfFrames, piecesOfTarget } from '../../../alignment/text-flows.ts'
import { countLines } from './cell-lines.ts'
import type { ComparedFrames, ComparedTarget } from './compared.ts'

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
    if (step.value !== undefined) report(step.value)
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
  const pieces = await inSlices(piecesOfFrames(frames), signal, report)
  const findings = await inSlices(findingsOfSource(source, frames), signal, report)
  return { frames, pieces, piecesOf: byRow(pieces), findingsOf: byRow<number | null, Finding>(findings) }
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
  const pieces = await inSlices(piecesOfTarget(all, aligned), signal, report)
  const findingsOf = byRow<number | null, Finding>(aligned.findings)
  const lineCounts = await inSlices(countAllLines(aligned, findingsOf), signal, report)
  return { aligned, pieces, piecesOf: byRow(pieces), findingsOf, lineCounts }
}

function* countAllLines(
  { rows }: AlignedTarget,
  findingsOf: ComparedTarget['findingsOf'],
): AlignmentSteps<readonly number[]> {
  const counts: number[] = []
  for (const [row, events] of rows.entries()) {
    counts.push(countLines(events, findingsOf.get(row)))
    yield
  }
  return counts
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
