import { type Framing, splitFrames } from '../../framing/framing.ts'
import type { Pace } from './exchange-format.ts'
import type { PlayedPiece } from './playback.ts'

/** The pieces of a body at a pace: its events, or its reads. Bytes beyond the reads follow at once. */
export function piecesAt(bytes: Uint8Array, pace: Pace, framing: Framing | null): readonly PlayedPiece[] {
  if (typeof pace === 'number') {
    const pieces = framing === null ? [bytes] : splitFrames(framing, bytes)
    return pieces.map((piece) => ({ bytes: piece, delayMs: pace }))
  }
  const pieces: PlayedPiece[] = []
  let at = 0
  for (const [delayMs, size] of pace) {
    const piece = bytes.subarray(at, at + size)
    at += size
    if (piece.length > 0) pieces.push({ bytes: piece, delayMs })
  }
  return at < bytes.length ? [...pieces, { bytes: bytes.subarray(at), delayMs: 0 }] : pieces
}
