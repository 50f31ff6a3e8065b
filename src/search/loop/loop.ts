import { type Machine, NOTHING, type Step } from '../../machine/machine.ts'
import type { Event } from '../../protocol/event.ts'
import type { FunctionCallItem, Item } from '../../protocol/item.ts'
import type { Response } from '../../protocol/response.ts'
import type { Speech } from '../../responses/capabilities.ts'
import { respond } from '../../responses/respond.ts'
import type { RespondState } from '../../responses/state.ts'
import { freeCalls, NO_CALLS } from './buffered-calls.ts'
import { beginSearches, hearFound } from './searches.ts'
import {
  isSearching,
  type LoopHeard,
  type LoopSaid,
  type LoopSettings,
  type Plot,
  type Told,
  tokensLeft,
} from './state.ts'
import { hearDelta, rekeyed } from './turn.ts'
import { addUsage, NO_USAGE } from './turn-history.ts'

/** Flat, because it is copied for every token: a token changes `told` only. */
export interface LoopState {
  /** The open turn as a response of its own: its output becomes history of the next turn. */
  readonly told: RespondState
  readonly plot: Plot
}

/** All that can become history; citations and hosted items cannot. */
const HISTORY: Speech = {
  items: ['message', 'reasoning', 'function_call', 'custom_tool_call'],
  parts: ['output_text', 'refusal', 'reasoning_text', 'summary_text'],
  annotations: [],
  offsets: 'utf16',
}

/**
 * The server tool as one pure machine. The upstream is offered a function. If it calls only this function, and none of
 * the client's, the searches run, and the next turn continues with their results. Each turn has keys of its own in one
 * response; the response has the usage of all turns and the finish reason of the last. A step costs as much as a step
 * of `respond`, and O(log n) more for n calls of the turn; the end of a turn costs as much as the length of its output.
 */
export function searchLoop(settings: LoopSettings): Machine<LoopState, LoopHeard, LoopSaid> {
  const hub = respond(settings.head, HISTORY, settings.seal)
  // Ids that `respond` gives to unnamed calls must differ between turns, and names are those that the upstream uses.
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
      // Between two turns no upstream is read, so its deltas are dropped.
      if (isSearching(plot)) return { state, events: NOTHING }
      if (heard.kind === 'leg ended') return after(state, concludeLeg(plot, wholeOf(hub.end(state.told)), settings))
      const { state: told } = hub.step(state.told, heard)
      const step = hearDelta(plot, heard, settings)
      return { state: { told, plot: step.plot }, events: step.said }
    },

    // The stream stopped inside a turn: the output so far is all there is.
    end({ told, plot }) {
      return plot.over || isSearching(plot) ? NOTHING : finishLeg(plot, wholeOf(hub.end(told)), settings).said
    },
  }
}

type Whole = Pick<Response, 'status' | 'output'>

/** The last event of every response contains the whole response. */
function wholeOf(events: readonly Event[]): Whole {
  const last = events.at(-1)
  return last !== undefined && 'response' in last ? last.response : { status: 'failed', output: [] }
}

// ---------------------------------------------------------------- the end of a turn

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

/** Ends the last turn: emits the client's calls that were held back, then the finish reason. */
function finishLeg(plot: Plot, { output }: Pick<Whole, 'output'>, { tool }: LoopSettings): Told {
  const freed = tool === null ? [] : freeCalls(plot.calls, tool)
  const lost = output.some((item) => isOurs(item, tool))
  return {
    plot: { ...plot, over: true },
    said: [
      ...freed.map((delta) => rekeyed(plot, delta)),
      ...(lost ? [{ kind: 'loss', feature: 'a web search that could not be made' } as const] : []),
      // If the last turn reports no usage, the usage of all turns is unknown.
      ...(plot.usage === null && plot.used !== null
        ? [{ kind: 'usage', usage: addUsage(plot.used, NO_USAGE) } as const]
        : []),
      ...(plot.finish === null ? [] : [{ kind: 'finish', reason: plot.finish } as const]),
      { kind: 'over' },
    ],
  }
}
