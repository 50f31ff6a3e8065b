import { emitSteps } from '../machine/emit-all.ts'
import type { LongStep, Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { Head } from '../protocol/response.ts'
import { measureAhead, placeAhead, placesLong, toMeasure } from './cite.ts'
import type { Seal } from './envelope.ts'
import { pieceFor, respond } from './respond.ts'
import type { Speech } from './speech.ts'
import { type RespondState, type Story, settle } from './state.ts'

/** Deltas that end no text. */
const HARMLESS: ReadonlySet<Delta['kind']> = new Set([
  'start',
  'citation',
  'mark',
  'usage',
  'finish',
  'error',
  'cut',
  'loss',
])

/**
 * `respond`, with its long work in slices: placing the citations that wait for the end of a text, and measuring a long
 * text for its first citation. A trial step finds the texts that a delta ends, which is possible because steps are
 * pure.
 */
export function respondInSlices(
  head: Head,
  words: Speech,
  seal: Seal,
  sealOwn: Seal,
): Machine<RespondState, Delta, Event> {
  const hub = respond(head, words, seal, sealOwn)
  let ended: number[] = []
  const leavesOut = (story: Story, item: number): boolean => {
    if (placesLong(story, item)) ended.push(item)
    return true
  }
  const trial = respond(head, { ...words, leavesOut }, seal, sealOwn)
  /** Returns the items whose texts the attempt ends, if placing their citations takes long. */
  const endedBy = (attempt: () => void): readonly number[] => {
    ended = []
    attempt()
    return ended
  }

  function* placing(state: RespondState, items: readonly number[]): LongStep<RespondState, never> {
    let story = settle(state)
    for (const item of items) story = yield* emitSteps(placeAhead(story, item, words.offsets))
    return { ...state, text: '', story }
  }

  function* afterPlacing(state: RespondState, items: readonly number[], delta: Delta): LongStep<RespondState, Event> {
    const step = hub.step(yield* placing(state, items), delta)
    yield* step.events
    return step.state
  }

  function* afterMeasuring(state: RespondState, item: number, delta: Delta): LongStep<RespondState, Event> {
    const story = yield* emitSteps(measureAhead(settle(state), item))
    const step = hub.step({ ...state, text: '', story }, delta)
    yield* step.events
    return step.state
  }

  function* ending(state: RespondState, items: readonly number[]): LongStep<RespondState, Event> {
    const placed = yield* placing(state, items)
    yield* hub.end(placed)
    return placed
  }

  return {
    ...hub,

    stepInSlices(state, delta) {
      if (delta.kind === 'citation') {
        const item = toMeasure(settle(state), delta)
        return item < 0 ? null : afterMeasuring(state, item, delta)
      }
      const { live, story } = state
      if (story.citing.waiting === 0 || HARMLESS.has(delta.kind)) return null
      if (live !== null && pieceFor(live, delta) !== '') return null
      const items = endedBy(() => void trial.step(state, delta))
      return items.length === 0 ? null : afterPlacing(state, items, delta)
    },

    endInSlices(state) {
      if (state.story.citing.waiting === 0) return null
      const items = endedBy(() => void trial.end(state))
      return items.length === 0 ? null : ending(state, items)
    },
  }
}
