import type { Answer, BodyCollector } from '../../engine/answer.ts'
import { createTurnCollector } from '../../engine/body-collector.ts'
import { hookTurns, hookWire } from '../../engine/hooks.ts'
import { openAnswerBody, openAnswerStream } from '../../engine/passthrough/answers.ts'
import { createTurnTranslation } from '../../engine/translation.ts'
import type { CurrentCall } from '../call/attempts.ts'
import type { Prepared } from '../call/prepare-request.ts'
import { oneTurn, type Turns } from '../call/turns.ts'
import type { Config } from '../config/config.ts'
import type { TokenCounter } from '../counts/count-memory.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Searcher } from '../search/engines.ts'
import { searchMachine, searchTurns } from '../search/search-turns.ts'
import type { ReaderGuard } from '../upstream/reader-guard.ts'
import type { AnswerMemory } from './answer-memory.ts'
import { type Continuation, continuationMachine, continuedTurns } from './continued-turns.ts'

/** The part of a gateway that delivers answers. */
export interface Deliverer extends TokenCounter {
  readonly config: Pick<Config, 'keep_alive_seconds' | 'timeouts' | 'log'>
  readonly answers: AnswerMemory
  readonly guardReader: ReaderGuard
  readonly search: Searcher
}

/** One request of a client that is ready for its upstream. */
export interface Exchange {
  readonly gateway: Deliverer
  readonly prepared: Prepared
  readonly context: RequestContext
  /** The upstreams that continue a text in the middle of which this one dies; null if none does. */
  readonly further: Continuation | null
  readonly call: CurrentCall
}

/** Whether the text of a passed answer is needed after it was passed: by a trace, or by the page. */
const needsText = ({ trace, row }: RequestContext): boolean =>
  trace?.wantsContent === true || (row?.content ?? null) !== null

const withHooks = (options: Prepared['options']): Prepared['options'] =>
  options.machines.length === 0 ? options : { ...options, wire: hookWire(options.wire, options.machines) }

/** Opens an answer that the client receives as a stream. */
export function streamTurns({
  gateway,
  prepared,
  context,
  further,
  call,
}: Exchange): Turns<Uint8Array, Answer<Uint8Array>> {
  const { options, search: plan } = prepared
  if (further !== null) {
    // Of the upstream that answers now: another one may begin the answer anew.
    const origin = { ...options.origin }
    const answer = createTurnTranslation({ ...options, origin }, hookTurns(continuationMachine, options.machines))
    return continuedTurns(answer, further, context, call, origin)
  }
  if (plan === null) return oneTurn(openAnswerStream(withHooks(options), prepared.pass, !needsText(context)))
  const machine = hookTurns(searchMachine(prepared, plan, gateway.search.config), options.machines)
  const answer = createTurnTranslation(options, machine)
  return searchTurns(answer, plan, gateway.search, context)
}

/** Opens an answer that the client receives as one body. */
export function bodyTurns({ gateway, prepared, context }: Exchange): Turns<void, BodyCollector> {
  const { options, search: plan } = prepared
  if (plan === null) return oneTurn(openAnswerBody(withHooks(options), prepared.pass))
  const machine = hookTurns(searchMachine(prepared, plan, gateway.search.config), options.machines)
  const answer = createTurnCollector(options, machine)
  return searchTurns(answer, plan, gateway.search, context)
}
