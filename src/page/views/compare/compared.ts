import type { AlignedFrame, AlignedTarget, Finding } from '../../../alignment/align.ts'
import type { FlowPiece, TargetPiece } from '../../../alignment/text-flows.ts'

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
  readonly lineCounts: readonly number[]
}

export interface Comparison extends ComparedFrames {
  readonly targets: readonly ComparedTarget[]
}
