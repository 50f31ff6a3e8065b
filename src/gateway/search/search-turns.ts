import type { TurnAnswer } from '../../engine/answer.ts'
import type { TurnMachine } from '../../engine/turns.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { Request } from '../../protocol/request.ts'
import { sealReasoning } from '../../responses/encrypted-content.ts'
import { searchLoop } from '../../search/loop/loop.ts'
import { isLoopCommand, type LoopCommand, type LoopInput, type LoopSettings } from '../../search/loop/state.ts'
import type { SearchPlan } from '../../search/plan.ts'
import { SHOWN_RESULTS } from '../../search/replay-searches.ts'
import type { Prepared } from '../call/prepare-request.ts'
import type { Turns } from '../call/turns.ts'
import type { SearchConfig } from '../config/config.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Searcher } from './engines.ts'

type SearchInput = Exclude<LoopInput, Delta>
type Search = Extract<LoopCommand, { readonly kind: 'search' }>

type SearchMachine = TurnMachine<SearchInput, LoopCommand>

type SearchedAnswer<Piece> = TurnAnswer<Piece, SearchInput, LoopCommand>

export const searchMachine = (prepared: Prepared, plan: SearchPlan, config: SearchConfig): SearchMachine => ({
  ...searchLoop(settingsOf(prepared, plan, config)),
  isCommand: isLoopCommand,
  isLast: ({ kind }) => kind === 'over',
})

function settingsOf({ request, options }: Prepared, plan: SearchPlan, { citations }: SearchConfig): LoopSettings {
  const { head, origin, sign } = options
  return {
    request,
    tool: plan.tool,
    head,
    seal: (payload) => sealReasoning(origin, payload, sign),
    style: citations,
    sources: plan.sources,
    showResults: request.include.includes(SHOWN_RESULTS),
    maxSearches: plan.maxSearches,
    maxResults: plan.query.maxResults,
    maxTotalResults: plan.options.maxTotalResults,
  }
}

/** The turns of a request whose searches the gateway makes. */
export function searchTurns<Piece, Whole extends SearchedAnswer<Piece>>(
  answer: Whole,
  plan: SearchPlan,
  searcher: Searcher,
  { signal }: RequestContext,
): Turns<Piece, Whole> {
  type Write = Parameters<Turns<Piece, Whole>['next']>[0]

  /** Steps the search loop, writes its output, and resolves with its commands; never, if the answer ends before. */
  const apply = (input: SearchInput, write: Write): Promise<readonly LoopCommand[]> =>
    new Promise((resolve) =>
      write(() => {
        const { piece, commands } = answer.apply(input)
        resolve(commands)
        return piece
      }),
    )
  const search = async ({ key, query, maxResults }: Search, write: Write): Promise<Request | null> => {
    const found = await searcher.find(plan.engine, { ...plan.query, query, maxResults }, signal)
    return signal.aborted ? null : requestIn(await apply({ kind: 'found', key, answer: found }, write))
  }
  /** Runs all searches of the turn in parallel, and returns the request of the next turn, if there is one. */
  const endTurn = async (write: Write): Promise<Request | null> => {
    const commands = await apply({ kind: 'turn ended' }, write)
    const searches = commands.flatMap((one) => (one.kind === 'search' ? [search(one, write)] : []))
    const requests = await Promise.all(searches)
    return requests.find((request) => request !== null) ?? requestIn(commands)
  }
  return {
    answer,
    async next(write) {
      if (answer.progress.over()) return null
      const request = await endTurn(write)
      if (request !== null && !signal.aborted && !answer.progress.over()) {
        answer.openTurn()
        return request
      }
      write(() => answer.close(signal.reason ?? undefined))
      return null
    },
  }
}

const requestIn = (commands: readonly LoopCommand[]): Request | null =>
  commands.find((one) => one.kind === 'request')?.request ?? null
