import { mapDelete, mapGet, mapSet } from '../../collections/sorted-map.ts'
import { NOTHING } from '../../machine/machine.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { FunctionCallItem } from '../../protocol/item.ts'
import type { Request } from '../../protocol/request.ts'
import type { SearchAnswer, SearchResult } from '../engine.ts'
import { formatSources, numberAll } from '../prompt.ts'
import { NO_CALLS } from './buffered-calls.ts'
import {
  type LoopOutput,
  type LoopSettings,
  type LoopState,
  type LoopTransition,
  type PendingSearch,
  remainingTokens,
} from './state.ts'
import { addUsage, NO_USAGE, outputOf, queryOf, toHistory } from './turn-history.ts'

const NO_WORDS = 'Nothing was searched: the argument "query" is missing.'
const NO_MORE = 'Nothing was searched: no more searches are allowed. Answer with what you have.'

/** Starts searches after a turn that ended with calls of the search only. */
export function startSearches(
  state: LoopState,
  calls: readonly FunctionCallItem[],
  settings: LoopSettings,
): LoopTransition {
  const { maxSearches, maxResults, maxTotalResults } = settings
  const outputs: LoopOutput[] = []
  const found = state.sources.length - settings.sources.length
  let left = maxTotalResults === null ? null : maxTotalResults - found
  const searches = calls.map((call, i): PendingSearch => {
    const query = queryOf(call)
    const isOver = state.count + i >= maxSearches || (left !== null && left < 1)
    const refusal = isOver ? NO_MORE : query === '' ? NO_WORDS : null
    const key = `leg ${state.turn} search ${i + 1}`
    if (refusal === null) {
      const most = left === null ? maxResults : Math.min(maxResults, left)
      if (left !== null) left -= most
      outputs.push(searchDelta(key, query, null, settings), { kind: 'search', key, query, maxResults: most })
    }
    return { key, callId: call.call_id, query, refusal }
  })
  let waiting: LoopState['waiting'] = null
  for (const [at, { key, refusal }] of searches.entries()) if (refusal === null) waiting = mapSet(waiting, key, at)
  return beginNextTurn({ ...state, searches, waiting, count: state.count + calls.length }, outputs, settings)
}

/** A source as in OpenAI's search calls, with a title if the engine returns one. */
const toUrlSource = ({ url, title }: SearchResult) => ({ type: 'url', url, ...(title === null ? {} : { title }) })

function searchDelta(key: string, query: string, answer: SearchAnswer | null, { showResults }: LoopSettings): Delta {
  const found = answer?.ok === true ? answer.results : null
  const sources = found === null ? {} : { sources: found.map(toUrlSource) }
  const results = found === null || !showResults ? {} : { results: found.map((result) => ({ ...result })) }
  const status = answer === null ? 'in_progress' : answer.ok ? 'completed' : 'failed'
  const fields = { action: { type: 'search', query, ...sources }, ...results }
  return { kind: 'hosted', key, item: { type: 'web_search_call', id: '', status, fields }, done: answer !== null }
}

export function applyResults(
  state: LoopState,
  key: string,
  answer: SearchAnswer,
  settings: LoopSettings,
): LoopTransition {
  const at = mapGet(state.waiting, key)
  const search = at === undefined ? undefined : state.searches[at]
  if (at === undefined || search === undefined) return { state, outputs: NOTHING }
  const found = { ...state, waiting: mapDelete(state.waiting, key), answers: mapSet(state.answers, at, answer) }
  return beginNextTurn(found, [searchDelta(key, search.query, answer, settings)], settings)
}

/**
 * Begins the next turn when all searches are answered. Results are numbered in the order of the calls, not in the order
 * in which they arrived.
 */
function beginNextTurn(state: LoopState, outputs: readonly LoopOutput[], settings: LoopSettings): LoopTransition {
  if (state.waiting !== null) return { state, outputs }
  const answers = state.searches.map((_, at) => mapGet(state.answers, at))
  const results = answers.map((answer) => (answer?.ok === true ? answer.results : []))
  const { all: sources, found } = numberAll(state.sources, results)
  const callOutputs = state.searches.map(({ callId, query, refusal }, at) => {
    const answer = answers[at]
    if (answer?.ok !== true) return outputOf(callId, refusal ?? `The web search failed: ${answer?.error.message ?? ''}`)
    return outputOf(callId, formatSources(query, found[at] ?? [], settings.style))
  })
  const input = [...state.request.input, ...toHistory(state.outputs), ...callOutputs]
  const request = nextRequest(
    { ...state.request, input, max_output_tokens: remainingTokens(state, settings) },
    state,
    settings,
  )
  const next: LoopState = {
    turn: state.turn + 1,
    request,
    calls: NO_CALLS,
    cited: null,
    finish: null,
    usage: null,
    used: addUsage(state.used, state.usage ?? NO_USAGE),
    searches: [],
    waiting: null,
    answers: null,
    outputs: [],
    sources,
    count: state.count,
    over: false,
  }
  return { state: next, outputs: [...outputs, { kind: 'request', request }] }
}

/**
 * A forced call has been made, so the choice is cleared. When no more searches are allowed, the search is no longer
 * offered.
 */
function nextRequest(request: Request, { count }: LoopState, { tool, maxSearches }: LoopSettings): Request {
  const others = request.tools.filter(({ name }) => name !== tool)
  if (count < maxSearches) return { ...request, tool_choice: null }
  // If the history contains calls, many upstreams require the definitions of the tools.
  return others.length > 0 ? { ...request, tools: others, tool_choice: null } : { ...request, tool_choice: 'none' }
}
