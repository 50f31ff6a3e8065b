import { viewResponse } from './dialects/view.ts'
import { writeFrames } from './dialects/write.ts'
import type { TranslateOptions } from './engine.ts'
import { FRAMINGS } from './framing/table.ts'
import { type HearingOptions, openHub, tooLarge } from './hearing.ts'
import type { Machine } from './machine/machine.ts'
import { feed } from './machine/run.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import type { Delta } from './protocol/delta.ts'
import type { GatewayError } from './protocol/error.ts'
import type { Event } from './protocol/event.ts'
import type { JsonObject } from './protocol/json.ts'
import { LIMITS } from './protocol/limits.ts'
import type { Response } from './protocol/response.ts'
import { AnswerBudget } from './responses/budget.ts'
import { collect } from './responses/collect.ts'
import { openPrinter, printAll } from './text/press.ts'

/**
 * A translation in its two halves, for whoever makes one response of several upstream answers (`search/loop.ts`). Without
 * the fast path: somebody has to hear every delta.
 */

/** The hearing half: one upstream answer. */
export interface Listening {
  receive(bytes: Uint8Array): readonly Delta[]
  end(): readonly Delta[]
  fail(error: GatewayError): readonly Delta[]
  /** No byte of the upstream can change the answer any more. */
  over(): boolean
  /** Messages heard so far. */
  chunks(): number
}

/** Upstream bytes of a stream → deltas. */
export function listen(options: Pick<TranslateOptions, 'wire' | 'quirks' | 'limits'>): Listening {
  const { wire, quirks = {}, limits = LIMITS } = options
  const reader = FRAMINGS[wire.framing].open(limits.upstreamEvent)
  const decode = wire.decodeStream(quirks)
  let upstream = decode.initial
  let received = 0
  let chunks = 0
  let over = false

  const hear = (frames: ReturnType<typeof reader.push>): readonly Delta[] => {
    const { state, events } = feed(decode, upstream, frames)
    upstream = state
    chunks += frames.length
    return events
  }
  const close = (...before: readonly (readonly Delta[])[]): readonly Delta[] => {
    over = true
    return [...before.flat(), ...decode.end(upstream)]
  }

  return {
    receive(bytes) {
      if (over) return []
      received += bytes.length
      const heard = hear(reader.push(bytes))
      if (reader.overflowed()) return close(heard, [tooLarge('One event', limits.upstreamEvent)])
      return received > limits.upstreamTotal ? close(heard, [tooLarge('The answer', limits.upstreamTotal)]) : heard
    },
    end: () => (over ? [] : close(hear(reader.end()))),
    fail: (error) => (over ? [] : close([{ kind: 'cut', error }])),
    over: () => over,
    chunks: () => chunks,
  }
}

/** The speaking half: deltas, wherever they come from → what a client is told. After `end` it says nothing more. */
export interface Telling<Piece, Whole> {
  tell(deltas: readonly Delta[]): Piece
  end(): Whole
  /** Has an item begun: has the first token come? */
  begun(): boolean
  /** `chunks`: messages of all upstream answers that it was told of. */
  outcome(chunks: number): Outcome
}

/** As the events of a dialect, as bytes. */
export function tell(options: TranslateOptions): Telling<Uint8Array, Uint8Array> {
  const told = openTelling(options, writeFrames(options.dialect))
  const printer = openPrinter()
  return {
    ...told,
    tell: (deltas) => printAll(printer, told.tell(deltas)),
    end: () => printAll(printer, told.end()),
  }
}

/** As the response object of a dialect. */
export function tellWhole(options: TranslateOptions): Telling<void, JsonObject> {
  const told = openTelling(options, collect)
  return {
    ...told,
    tell: (deltas) => void told.tell(deltas),
    end: () => viewResponse(options.dialect, told.end()[0] as Response),
  }
}

export function openTelling<State, Out>(
  options: HearingOptions,
  last: Machine<State, Event, Out>,
): Telling<readonly Out[], readonly Out[]> {
  const hub = openHub(options)
  let told = hub.initial
  let said = last.initial
  let ending: readonly Event[] | null = null
  let isSpent = false
  const budget = new AnswerBudget(options.limits ?? LIMITS)

  const speak = (events: readonly Event[]): readonly Out[] => {
    const step = feed(last, said, events)
    said = step.state
    return step.events
  }
  return {
    tell(deltas) {
      if (ending !== null || isSpent) return []
      const events: Event[] = []
      const apply = (delta: Delta): GatewayError | null => {
        const step = hub.step(told, delta)
        told = step.state
        events.push(...step.events)
        return budget.add(delta, step.events)
      }
      for (const delta of deltas) {
        const error = apply(delta)
        if (error === null) continue
        isSpent = true
        apply({ kind: 'error', error })
        break
      }
      return speak(events)
    },
    end() {
      if (ending !== null) return []
      ending = hub.end(told)
      return [...speak(ending), ...last.end(said)]
    },
    begun: () => told.story.items.length > 0,
    outcome: (chunks) => outcomeOf(told, ending, { heard: chunks, fast: 0 }),
  }
}
