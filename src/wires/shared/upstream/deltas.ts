import type { Delta } from '../../../protocol/delta.ts'

/** The deltas of one step, in order: each function of a decoder adds its own. */
export type Deltas = Delta[]

/** Adds the loss of a feature that no event can carry. */
export function emitLoss(feature: string, deltas: Deltas): void {
  deltas.push({ kind: 'loss', feature })
}
