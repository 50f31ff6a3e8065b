import type { Machine } from '../machine/machine.ts'
import type { Event } from '../protocol/event.ts'
import type { Item } from '../protocol/item.ts'
import type { Response } from '../protocol/response.ts'

export interface CollectState {
  readonly items: readonly Item[]
  readonly response: Response | null
}

/** Events → the response object as far as it has come: the finished items in the order of their indices. */
export const collect: Machine<CollectState, Event, Response> = {
  initial: { items: [], response: null },

  step(state, event) {
    switch (event.type) {
      case 'output_item.done': {
        const items = [...state.items]
        items[event.output_index] = event.item
        return { state: { items, response: state.response }, events: [] }
      }
      case 'created':
      case 'completed':
      case 'incomplete':
      case 'failed':
        return { state: { items: state.items, response: event.response }, events: [] }
      default:
        return { state, events: [] }
    }
  },

  end: ({ items, response }) => (response === null ? [] : [{ ...response, output: items.filter(Boolean) }]),
}
