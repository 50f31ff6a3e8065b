import type { Seal } from './envelope.ts'
import { toSummary, toThoughts } from './events.ts'
import { toSealed } from './own-thoughts.ts'
import type { ItemState } from './state.ts'

/**
 * Seals a finished reasoning item that its upstream did not encrypt. `seal`: null if the target does not require that.
 */
export function sealThoughts(item: ItemState, seal: Seal | null): ItemState {
  if (seal === null || item.type !== 'reasoning' || item.sealed !== null) return item
  return { ...item, sealed: toSealed(seal, toSummary(item.parts), toThoughts(item.parts)) }
}
