import { type List, listAppend, listAt, listLast, listOf, listToArray, listWith } from '../../../collections/list.ts'
import { EMPTY_QUEUE, type Queue, queueAppend, queueFirst, queueShift } from '../../../collections/queue.ts'
import { mapDelete, mapGet, mapSet, type SortedMap } from '../../../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import { appendFlat } from '../../../text/flat-string.ts'

/** An item that began while another item is being emitted. */
interface Waiting {
  readonly key: string
  readonly deltas: List<Delta>
  readonly over: boolean
}

interface SerializerState {
  /** The key of the item that is being emitted. */
  readonly turn: string | null
  readonly waiting: Queue<Waiting>
  /** The position of each waiting item in the queue, by key. */
  readonly positions: SortedMap<string, number>
}

/**
 * Emits items one after the other. Parallel calls arrive interleaved, and a message whose citations are still to come
 * continues after others have begun. Content blocks and steps cannot be interleaved, so a later item waits until the earlier one
 * ends. O(log n) for a delta while n items wait; each waiting delta is emitted once.
 */
export const serializeItems: Machine<SerializerState, Delta, Delta> = {
  initial: { turn: null, waiting: EMPTY_QUEUE, positions: null },

  step(state, delta): Step<SerializerState, Delta> {
    switch (delta.kind) {
      case 'finish':
      case 'error':
        return { state: serializeItems.initial, events: [...allOf(state), delta] }
      case 'start':
      case 'usage':
      case 'served':
      case 'cut':
      case 'loss':
      case 'hold':
      case 'phase':
      case 'final':
        return { state, events: [delta] }
      default:
        return applyItem(state, delta)
    }
  },

  end: (state) => allOf(state),
}

function allOf({ waiting }: SerializerState): readonly Delta[] {
  const all: Delta[] = []
  for (const item of listToArray(waiting.values)) if (item !== null) pushAll(all, item)
  return all.length === 0 ? NOTHING : all
}

function pushAll(deltas: Delta[], item: Waiting): void {
  for (const delta of listToArray(item.deltas)) deltas.push(delta)
}

function applyItem(state: SerializerState, delta: Delta & { readonly key: string }): Step<SerializerState, Delta> {
  const { turn, waiting, positions } = state
  const { key } = delta
  if (turn !== null && key !== turn) return { state: queued(state, delta), events: NOTHING }
  if (delta.kind === 'stop') return turn === null ? { state, events: [delta] } : next(state, delta)
  return { state: turn === null ? { turn: key, waiting, positions } : state, events: [delta] }
}

function queued(
  { turn, waiting, positions }: SerializerState,
  delta: Delta & { readonly key: string },
): SerializerState {
  const { key } = delta
  const over = delta.kind === 'stop'
  const at = mapGet(positions, key)
  const item = at === undefined ? undefined : listAt(waiting.values, at)
  if (at !== undefined && item) {
    const values = listWith(waiting.values, at, { key, deltas: joined(item.deltas, delta), over })
    return { turn, waiting: { values, next: waiting.next }, positions }
  }
  const position = waiting.values.length
  return {
    turn,
    waiting: queueAppend(waiting, { key, deltas: listOf([delta]), over }),
    positions: mapSet(positions, key, position),
  }
}

/** Merges consecutive pieces of the same part or call, so that a long wait does not build a long list. */
function joined(deltas: List<Delta>, delta: Delta): List<Delta> {
  const last = listLast(deltas)
  const one = last === undefined ? null : together(last, delta)
  return one === null ? listAppend(deltas, delta) : listWith(deltas, deltas.length - 1, one)
}

function together(first: Delta, second: Delta): Delta | null {
  if (first.kind === 'call' && second.kind === 'call' && second.callId === null && second.name === null) {
    return { ...first, arguments: appendFlat(first.arguments, second.arguments) }
  }
  if (first.kind !== second.kind || !('part' in first && 'text' in first && 'part' in second && 'text' in second)) {
    return null
  }
  return first.part === second.part ? { ...first, text: appendFlat(first.text, second.text), logprobs: null } : null
}

/** Emits the waiting items that are over, and the first that is not, which becomes the current item. */
function next(state: SerializerState, stop: Delta): Step<SerializerState, Delta> {
  const events: Delta[] = [stop]
  let { waiting, positions } = state
  for (;;) {
    const item = queueFirst(waiting)
    if (item === null) return { state: { turn: null, waiting, positions }, events }
    waiting = queueShift(waiting)
    positions = mapDelete(positions, item.key)
    pushAll(events, item)
    if (!item.over) return { state: { turn: item.key, waiting, positions }, events }
  }
}
