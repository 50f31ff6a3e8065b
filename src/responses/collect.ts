import { mapSet, mapValues, type SortedMap } from '../collections/sorted-map.ts'
import { type Machine, NOTHING } from '../machine/machine.ts'
import type { Event } from '../protocol/event.ts'
import type { Item } from '../protocol/item.ts'
import type { Response } from '../protocol/response.ts'

interface CollectState {
  /** By output index. */
  readonly items: SortedMap<number, Item>
  readonly response: Response | null
}

/**
 * Events → the response object so far: the finished items in the order of their indices. A finished item costs
 * O(log n), any other event O(1).
 */
export const collect: Machine<CollectState, Event, Response> = {
  initial: { items: null, response: null },

  step(state, event) {
    switch (event.type) {
      case 'output_item.done': {
        const items = mapSet(state.items, event.output_index, event.item)
        return { state: { items, response: state.response }, events: NOTHING }
      }
      case 'created':
      case 'completed':
      case 'incomplete':
      case 'failed':
        return { state: { items: state.items, response: event.response }, events: NOTHING }
      default:
        return { state, events: NOTHING }
    }
  },

  end: ({ items, response }) => (response === null ? NOTHING : [{ ...response, output: mapValues(items) }]),
}
