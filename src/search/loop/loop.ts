import { type Machine, NOTHING, type Step } from '../../machine/machine.ts'
import type { Event } from '../../protocol/event.ts'
import type { FunctionCallItem, Item } from '../../protocol/item.ts'
import type { Response } from '../../protocol/response.ts'
import type { Capabilities } from '../../responses/capabilities.ts'
import { NO_CALL } from '../../responses/final-status.ts'
import { respond } from '../../responses/respond.ts'
import type { RespondState } from '../../responses/state.ts'
import { NO_CALLS, releaseCalls } from './buffered-calls.ts'
import { applyResults, startSearches } from './searches.ts'
import {
  isSearching,
  type LoopInput,
  type LoopOutput,
  type LoopSettings,
  type LoopState,
  type LoopTransition,
  remainingTokens,
} from './state.ts'
import { applyTurnDelta, rekeyed } from './turn.ts'
import { addUsage, NO_USAGE } from './turn-history.ts'

/** Flat, because it is copied for every token: a token changes `response` only. */
interface SearchLoopState {
  /** The open turn as a response of its own: its output becomes history of the next turn. */
  readonly response: RespondState
  readonly loop: LoopState
}

/** All that can become history; citations and hosted items cannot. */
const HISTORY: Capabilities = {
  items: ['message', 'reasoning', 'function_call', 'custom_tool_call'],
  parts: ['output_text', 'refusal', 'reasoning_text', 'summary_text'],
  annotations: [],
  fields: ['phase'],
  offsets: 'utf16',
}

/**
 * The server tool as one pure machine. The upstream is offered a function. If it calls only this function, and none of
 * the client's, the searches run, and the next turn continues with their results. Each turn has keys of its own in one
 * response; the response has the usage of all turns and the finish reason of the last. A step costs as much as a step
 * of `respond`, and O(log n) more for n calls of the turn; the end of a turn costs as much as the length of its output.
 */
export function searchLoop(settings: LoopSettings): Machine<SearchLoopState, LoopInput, LoopOutput> {
  const hub = respond(settings.head, HISTORY, settings.seal)
  // Ids that `respond` gives to unnamed calls must differ between turns, and names are those that the upstream uses.
  const openTurn = (turn: number): RespondState =>
    respond({ ...settings.head, id: `${settings.head.id}_${turn}`, names: {} }, HISTORY).initial
  const first: LoopState = {
    turn: 1,
    request: settings.request,
    calls: NO_CALLS,
    cited: null,
    finish: null,
    usage: null,
    used: null,
    searches: [],
    waiting: null,
    answers: null,
    outputs: [],
    sources: settings.sources,
    count: 0,
    over: false,
  }

  const after = (
    { response, loop: state }: SearchLoopState,
    step: LoopTransition,
  ): Step<SearchLoopState, LoopOutput> => ({
    state: { response: step.state.turn === state.turn ? response : openTurn(step.state.turn), loop: step.state },
    events: step.outputs,
  })

  return {
    initial: { response: openTurn(1), loop: first },

    step(state, input): Step<SearchLoopState, LoopOutput> {
      const { loop } = state
      if (loop.over) return { state, events: NOTHING }
      if (input.kind === 'found') return after(state, applyResults(loop, input.key, input.answer, settings))
      // Between two turns no upstream is read, so its deltas are dropped.
      if (isSearching(loop)) return { state, events: NOTHING }
      if (input.kind === 'turn ended')
        return after(state, concludeTurn(loop, wholeOf(hub.end(state.response)), settings))
      const { state: response } = hub.step(state.response, input)
      const step = applyTurnDelta(loop, input, settings)
      return { state: { response, loop: step.state }, events: step.outputs }
    },

    // The stream stopped inside a turn: the output so far is all there is.
    end({ response, loop: state }) {
      return state.over || isSearching(state)
        ? NOTHING
        : finishTurn(state, wholeOf(hub.end(response)), settings).outputs
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

function concludeTurn(state: LoopState, { status, output }: Whole, settings: LoopSettings): LoopTransition {
  const { tool, maxSearches } = settings
  const wanted = output.filter((item) => isOurs(item, tool))
  const isAlone = output.filter(isCall).length === wanted.length
  const left = remainingTokens(state, settings)
  if (status !== 'completed' || wanted.length === 0 || !isAlone || state.count >= maxSearches) {
    return finishTurn(state, { output }, settings)
  }
  if (left !== null && left < 1)
    return finishTurn({ ...state, finish: { kind: 'finish', reason: 'max_output_tokens' } }, { output }, settings)
  return startSearches({ ...state, outputs: output }, wanted, settings)
}

/** Ends the last turn: emits the client's calls that were held back, then the finish reason. */
function finishTurn(state: LoopState, { output }: Pick<Whole, 'output'>, { tool }: LoopSettings): LoopTransition {
  const freed = tool === null ? [] : releaseCalls(state.calls, tool)
  const isUnanswered = output.some((item) => isOurs(item, tool))
  const { finish } = state
  // The response has the searches of earlier turns, so that it cannot show that this turn lacks its calls.
  const lacksCalls = state.turn > 1 && finish?.called === true && finish.reason === 'stop' && !output.some(isCall)
  return {
    state: { ...state, over: true },
    outputs: [
      ...freed.map((delta) => rekeyed(state, delta)),
      ...(isUnanswered ? [{ kind: 'loss', feature: 'a web search that could not be made' } as const] : []),
      // If the last turn reports no usage, the usage of all turns is unknown.
      ...(state.usage === null && state.used !== null
        ? [{ kind: 'usage', usage: addUsage(state.used, NO_USAGE) } as const]
        : []),
      ...(lacksCalls ? [{ kind: 'error', error: NO_CALL } as const] : []),
      // A client without items of searches receives none for the search that was not made.
      ...(finish === null ? [] : [isUnanswered ? { kind: finish.kind, reason: finish.reason } : finish]),
      { kind: 'over' },
    ],
  }
}
