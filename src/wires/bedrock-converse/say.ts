import type { Delta } from '../../protocol/delta.ts'

/** The deltas that one event gives, in the order in which they were meant. */
export type Say = Delta[]

export const messageKey = (message: number): string => `message ${message}`
export const thoughtKey = (index: string): string => `thought ${index}`
export const callKey = (index: string): string => `call ${index}`

export function loss(feature: string, say: Say): void {
  say.push({ kind: 'loss', feature })
}
