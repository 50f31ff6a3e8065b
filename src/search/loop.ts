import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { Event } from '../protocol/event.ts'
import type { FunctionCallItem, Item } from '../protocol/item.ts'
import type { Response } from '../protocol/response.ts'
import { respond } from '../responses/respond.ts'
import type { Speech } from '../responses/speech.ts'
import type { RespondState } from '../responses/state.ts'
import { freeCalls, NO_CALLS } from './held-calls.ts'
import { hearDelta, rekeyed } from './leg.ts'
import { addUsage, NO_USAGE } from './leg-items.ts'
import {
  isSearching,
  type LoopHeard,
  type LoopSaid,
  type LoopSettings,
  type Plot,
  type Told,
  tokensLeft,
} from './plot.ts'
import { beginSearches, hearFound } from './searches.ts'

/** Hot and flat: a token changes `told` only. */
export interface LoopState {
  /** The open leg as a response of its own: what it leaves is what the next one is told. */
  readonly told: RespondState
  readonly plot: Plot
}

/** All that can be history; citations and hosted items cannot. */
const HISTORY: Speech = {
  items: ['message', 'reasoning', 'function_call', 'custom_tool_call'],
  parts: ['output_text', 'refusal', 'reasoning_text', 'summary_text'],
  annotations: [],
  offsets: 'utf16',
}

/**
 * The server tool as one pure machine: the upstream is offered a function; where it calls it, and nothing of the client's
 * with it, the searches are made and the next leg goes on with what they found. Every leg speaks under keys of its own in
 * one response, whose usage is that of all legs and whose finish is that of the last. A step costs what it costs `respond`,
 * and O(log n) for n calls of the leg; the end of a leg what the leg has said.
 */
export function searchLoop(settings: LoopSettings): Machine<LoopState, LoopHeard, LoopSaid> {
  const hub = respond(settings.head, HISTORY, settings.seal)
  // The ids of calls that the upstream leaves unnamed must differ from leg to leg; names are those the upstream knows.
  const openLeg = (leg: number): RespondState =>
    respond({ ...settings.head, id: `${settings.head.id}_${leg}`, names: {} }, HISTORY).initial
  const first: Plot = {
    leg: 1,
    request: settings.request,
    calls: NO_CALLS,
    cited: null,
    finish: null,
    usage: null,
    used: null,
    searches: [],
    waiting: null,
    answers: null,
    said: [],
    sources: settings.sources,
    count: 0,
    over: false,
  }

  const after = ({ told, plot }: LoopState, step: Told): Step<LoopState, LoopSaid> => ({
    state: { told: step.plot.leg === plot.leg ? told : openLeg(step.plot.leg), plot: step.plot },
    events: step.said,
  })

  return {
    initial: { told: openLeg(1), plot: first },

    step(state, heard): Step<LoopState, LoopSaid> {
      const { plot } = state
      if (plot.over) return { state, events: NOTHING }
      if (heard.kind === 'found') return after(state, hearFound(plot, heard.key, heard.answer, settings))
      // Between two legs no upstream is heard.
      if (isSearching(plot)) return { state, events: NOTHING }
      if (heard.kind === 'leg ended') return after(state, concludeLeg(plot, wholeOf(hub.end(state.told)), settings))
      const { state: told } = hub.step(state.told, heard)
      const step = hearDelta(plot, heard, settings)
      return { state: { told, plot: step.plot }, events: step.said }
    },

    // Broken off inside a leg: what it has said is all there is.
    end({ told, plot }) {
      return plot.over || isSearching(plot) ? NOTHING : finishLeg(plot, wholeOf(hub.end(told)), settings).said
    },
  }
}

type Whole = Pick<Response, 'status' | 'output'>

/** The last event of every response has the whole of it. */
function wholeOf(events: readonly Event[]): Whole {
  const last = events.at(-1)
  return last !== undefined && 'response' in last ? last.response : { status: 'failed', output: [] }
}

// ---------------------------------------------------------------- the end of a leg

const isCall = ({ type }: Item): boolean => type === 'function_call' || type === 'custom_tool_call'

const isOurs = (item: Item, tool: string | null): item is FunctionCallItem =>
  item.type === 'function_call' && item.name === tool

function concludeLeg(plot: Plot, { status, output }: Whole, settings: LoopSettings): Told {
  const { tool, maxSearches } = settings
  const wanted = output.filter((item) => isOurs(item, tool))
  const isAlone = output.filter(isCall).length === wanted.length
  const left = tokensLeft(plot, settings)
  if (status !== 'completed' || wanted.length === 0 || !isAlone || plot.count >= maxSearches) {
    return finishLeg(plot, { output }, settings)
  }
  if (left !== null && left < 1) return finishLeg({ ...plot, finish: 'max_output_tokens' }, { output }, settings)
  return beginSearches({ ...plot, said: output }, wanted, settings)
}

/** The last leg: what was held back of the client's, and how it ended. */
function finishLeg(plot: Plot, { output }: Pick<Whole, 'output'>, { tool }: LoopSettings): Told {
  const freed = tool === null ? [] : freeCalls(plot.calls, tool)
  const lost = output.some((item) => isOurs(item, tool))
  return {
    plot: { ...plot, over: true },
    said: [
      ...freed.map((delta) => rekeyed(plot, delta)),
      ...(lost ? [{ kind: 'loss', feature: 'a web search that could not be made' } as const] : []),
      // Where the last leg does not tell its own, that of all is not known.
      ...(plot.usage === null && plot.used !== null
        ? [{ kind: 'usage', usage: addUsage(plot.used, NO_USAGE) } as const]
        : []),
      ...(plot.finish === null ? [] : [{ kind: 'finish', reason: plot.finish } as const]),
      { kind: 'over' },
    ],
  }
}
