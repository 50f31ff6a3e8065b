import { dropped } from '../../protocol/loss.ts'
import { ok, type Result } from '../../protocol/result.ts'
import { formatSources, numberSources, questionOf, withResults } from '../../search/prompt.ts'
import { encodeCall, type Prepared } from '../call/prepare-request.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Searcher } from './engines.ts'

/**
 * The plugin searches once, for the user's last message, and adds the results to the request before the model is
 * called.
 */
export async function searchBefore(
  searcher: Searcher,
  prepared: Prepared,
  context: RequestContext,
): Promise<Result<Prepared>> {
  const { request, search: plan } = prepared
  if (plan === null || plan.tool !== null) return ok(prepared)
  const query = questionOf(request)
  if (query === '') {
    const loss = dropped(plan.options.path, 'the last user message has no text to search for')
    return ok({ ...prepared, losses: [...prepared.losses, loss] })
  }
  const answer = await searcher.find(plan.engine, { ...plan.query, query }, context.signal)
  if (!answer.ok) return answer
  const sources = numberSources([], answer.results).found
  const results = formatSources(query, sources, searcher.config.citations, plan.options.prompt)
  const next = await encodeCall(prepared, withResults(request, results))
  return next.ok ? ok({ ...next.value, search: { ...plan, sources } }) : next
}
