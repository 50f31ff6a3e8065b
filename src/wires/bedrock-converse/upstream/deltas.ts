import type { Delta } from '../../../protocol/delta.ts'

/** The deltas of one event, in the order that the upstream intended. */
export type Say = Delta[]

export const messageKey = (message: number): string => `message ${message}`
export const thoughtKey = (index: string): string => `thought ${index}`
export const callKey = (index: string): string => `call ${index}`

export function loss(feature: string, say: Say): void {
  say.push({ kind: 'loss', feature })
}
