import { type Machine, NOTHING, type Step } from '../../machine/machine.ts'
import type { Delta } from '../../protocol/delta.ts'

/** An item that has begun while another has its turn. */
interface Waiting {
  readonly key: string
  readonly deltas: readonly Delta[]
  readonly over: boolean
}

export interface TurnState {
  /** The key of the item whose turn it is. */
  readonly turn: string | null
  readonly waiting: readonly Waiting[]
}

/**
 * Items one after the other. Calls that are made side by side come interleaved, and a message whose citations are yet to
 * come goes on while others have begun: content blocks do not, so the later item waits until the earlier one is over.
 */
export const inTurn: Machine<TurnState, Delta, Delta> = {
  initial: { turn: null, waiting: [] },

  step(state, delta): Step<TurnState, Delta> {
    switch (delta.kind) {
      case 'finish':
      case 'error':
        return { state: inTurn.initial, events: [...allOf(state), delta] }
      case 'start':
      case 'usage':
      case 'cut':
      case 'loss':
      case 'hold':
        return { state, events: [delta] }
      default:
        return hearItem(state, delta)
    }
  },

  end: (state) => allOf(state),
}

const allOf = ({ waiting }: TurnState): readonly Delta[] =>
  waiting.length === 0 ? NOTHING : waiting.flatMap(({ deltas }) => deltas)

function hearItem(state: TurnState, delta: Delta & { readonly key: string }): Step<TurnState, Delta> {
  const { turn, waiting } = state
  const { key } = delta
  if (turn !== null && key !== turn) return { state: { turn, waiting: queue(waiting, delta) }, events: NOTHING }
  if (delta.kind === 'stop') return turn === null ? { state, events: [delta] } : next(waiting, delta)
  return { state: turn === null ? { turn: key, waiting } : state, events: [delta] }
}

function queue(waiting: readonly Waiting[], delta: Delta & { readonly key: string }): readonly Waiting[] {
  const { key } = delta
  const over = delta.kind === 'stop'
  if (!waiting.some((item) => item.key === key)) return [...waiting, { key, deltas: [delta], over }]
  return waiting.map((item) => (item.key === key ? { key, deltas: append(item.deltas, delta), over } : item))
}

/** Pieces of the same are put together, so that a long wait is not a long list. */
function append(deltas: readonly Delta[], delta: Delta): readonly Delta[] {
  const last = deltas.at(-1)
  const one = last === undefined ? null : together(last, delta)
  return one === null ? [...deltas, delta] : [...deltas.slice(0, -1), one]
}

function together(first: Delta, second: Delta): Delta | null {
  if (first.kind === 'call' && second.kind === 'call' && second.callId === null && second.name === null) {
    return { ...first, arguments: first.arguments + second.arguments }
  }
  if (first.kind !== second.kind || !('part' in first && 'text' in first && 'part' in second && 'text' in second)) {
    return null
  }
  return first.part === second.part ? { ...first, text: first.text + second.text, logprobs: null } : null
}

/** The turn of those that wait: of each that is over, and of the first that is not. */
function next(waiting: readonly Waiting[], stop: Delta): Step<TurnState, Delta> {
  const open = waiting.findIndex(({ over }) => !over)
  const told = open < 0 ? waiting : waiting.slice(0, open + 1)
  const turn = open < 0 ? null : (waiting[open]?.key ?? null)
  return {
    state: { turn, waiting: waiting.slice(told.length) },
    events: [stop, ...told.flatMap(({ deltas }) => deltas)],
  }
}
