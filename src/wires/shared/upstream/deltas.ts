import type { Delta } from '../../../protocol/delta.ts'

/** The deltas of one step, in order: each function of a decoder adds its own. */
export type Say = Delta[]

/** Adds the loss of a feature that no event can carry. */
export function loss(feature: string, say: Say): void {
  say.push({ kind: 'loss', feature })
}
