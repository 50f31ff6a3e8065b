import { mapKeys } from '../collections/sorted-map.ts'
import { writeInSlices } from '../dialects/write.ts'
import { emitSteps } from '../machine/emit-all.ts'
import type { LongStep, Machine } from '../machine/machine.ts'
import { createSlicedPrinter } from '../output/frame-printer.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { Head } from '../protocol/response.ts'
import { measureAhead, placeAhead, placesLong, toMeasure } from '../responses/apply-citations.ts'
import type { Capabilities, RespondContext } from '../responses/capabilities.ts'
import { pieceFor, Reducer } from '../responses/respond.ts'
import { commitActivePart, type RespondState, type ResponseState } from '../responses/state.ts'
import { parseTextPieces } from '../text/json-pieces.ts'
import type { Steps } from '../text/steps.ts'

/** Deltas that end no text. */
const NOT_ENDING: ReadonlySet<Delta['kind']> = new Set([
  'start',
  'citation',
  'phase',
  'mark',
  'usage',
  'finish',
  'error',
  'cut',
  'loss',
])

type Hub = Machine<RespondState, Delta, Event>

/** `respond`, with its long work in slices. */
interface SlicedHub extends Hub {
  stepInSlices(state: RespondState, delta: Delta): LongStep<RespondState, Event> | null
  endInSlices(state: RespondState): LongStep<RespondState, Event> | null
}

/**
 * `respond`, with its long work in slices: placing the citations that wait for the end of a text, and measuring a long
 * text for its first citation. Most streams have no such work, and create nothing for it.
 */
export const respondInSlices = (head: Head, context: RespondContext): SlicedHub => new SlicedReducer(head, context)

/** The parts of the engine that do long work in slices. */
export const IN_SLICES = {
  reducer: respondInSlices,
  write: writeInSlices,
  openPrinter: createSlicedPrinter,
  parse: parseTextPieces,
}

export type InSlices = typeof IN_SLICES

class SlicedReducer extends Reducer implements SlicedHub {
  stepInSlices(state: RespondState, delta: Delta): LongStep<RespondState, Event> | null {
    const { citing, offsets } = this.context
    if (citing === null) return null
    if (delta.kind === 'citation') {
      const before = commitActivePart(state)
      const item = toMeasure(before, delta)
      return item < 0 ? null : afterMeasuring(this, state, measureAhead(before, item), delta)
    }
    const { active, response } = state
    if (response.citing.waiting === 0 || NOT_ENDING.has(delta.kind)) return null
    if (active !== null && pieceFor(active, delta) !== '') return null
    const items = this.longTextsEndedBy(state, delta)
    return items.length === 0 ? null : afterPlacing(this, placing(state, items, offsets), delta)
  }

  endInSlices(state: RespondState): LongStep<RespondState, Event> | null {
    const { citing, offsets } = this.context
    if (citing === null || state.response.citing.waiting === 0) return null
    const response = commitActivePart(state)
    const items = mapKeys(response.index.open).filter((item) => placesLong(response, item))
    return items.length === 0 ? null : ending(this, placing(state, items, offsets))
  }

  /** Which texts a delta ends depends on all rules of `respond`, so that a trial step without the citations finds them. */
  private longTextsEndedBy(state: RespondState, delta: Delta): readonly number[] {
    const ended: number[] = []
    const leavesOut: Capabilities['leavesOut'] = (response, item) => {
      if (placesLong(response, item)) ended.push(item)
      return true
    }
    new Reducer(this.head, { ...this.context, leavesOut }).step(state, delta)
    return ended
  }
}

function* placing(
  state: RespondState,
  items: readonly number[],
  offsets: Capabilities['offsets'],
): LongStep<RespondState, never> {
  let response = commitActivePart(state)
  for (const item of items) response = yield* emitSteps(placeAhead(response, item, offsets))
  return { ...state, text: '', response }
}

function* afterPlacing(hub: Hub, placed: LongStep<RespondState, never>, delta: Delta): LongStep<RespondState, Event> {
  const step = hub.step(yield* placed, delta)
  yield* step.events
  return step.state
}

function* afterMeasuring(
  hub: Hub,
  state: RespondState,
  measuring: Steps<ResponseState>,
  delta: Delta,
): LongStep<RespondState, Event> {
  const response = yield* emitSteps(measuring)
  const step = hub.step({ ...state, text: '', response }, delta)
  yield* step.events
  return step.state
}

function* ending(hub: Hub, placed: LongStep<RespondState, never>): LongStep<RespondState, Event> {
  const state = yield* placed
  yield* hub.end(state)
  return state
}
