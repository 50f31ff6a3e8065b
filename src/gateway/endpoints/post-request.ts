import { dropped } from '../../protocol/loss.ts'
import { ok, type Result } from '../../protocol/result.ts'
import { formatSources, numberSources, questionOf, withResults } from '../../search/prompt.ts'
import { writeAttempts } from '../call/attempts.ts'
import { type Encodable, encodeCall, type Prepared } from '../call/prepare-request.ts'
import type { ClientApi } from '../clients/client-api.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendError } from '../exchange/send.ts'
import type { Gateway } from '../gateway.ts'
import { keepStream } from '../resume/resume-stream.ts'
import { type Awaitable, awaited, runInSlices, type Work } from '../run-in-slices.ts'
import { rememberSearches, type Searcher } from '../search/engines.ts'
import { planExchange } from './plan-request.ts'
import { UpstreamCalls } from './upstream-calls.ts'

/**
 * Handles a request of any client API. Resolves when the answer or the error has been sent, or the
 * answer has begun (`RequestContext.delivery`).
 */
export const postRequest = (gateway: Gateway, api: ClientApi, context: RequestContext): Awaitable<void> =>
  runInSlices(handleRequest(gateway, api, context))

function* handleRequest(gateway: Gateway, api: ClientApi, context: RequestContext): Work<void> {
  const encoder = new Encoder(gateway, context)
  const prepared = yield* planExchange(gateway, api, context, (plan) => encoder.encode(plan))
  if (!prepared.ok) return sendError(context, prepared.error)
  const kept = keepStream(gateway, prepared.value, context)
  const { wire } = prepared.value.routed.client.sent
  return yield* new UpstreamCalls(gateway, kept, prepared.value).answer(({ error, isRetried }) => {
    writeAttempts(context, null)
    sendError(context, error, isRetried && !waitsItself(wire, error.code) ? { 'x-should-retry': 'false' } : {})
  })
}

/**
 * Whether clients of a wire wait for minutes before they repeat such a request. Claude Code does, as it does with
 * Anthropic itself, and ends its task at once for `x-should-retry: false`.
 */
const waitsItself = (wire: string, code: string): boolean =>
  wire === 'anthropic-messages' && (code === 'rate_limit_exceeded' || code === 'server_is_overloaded')

/** Encodes one request for its upstreams. A search before the call is made once for all of them. */
class Encoder {
  private readonly engines: Gateway['search']
  private readonly context: RequestContext
  private searcher: Searcher | null = null

  constructor({ search }: Gateway, context: RequestContext) {
    this.engines = search
    this.context = context
  }

  /** A method, because V8 keeps a hidden class in old memory for each closure of a generator, and with it the request. */
  *encode(plan: Encodable): Work<Result<Prepared>> {
    const prepared = yield* encodeCall(plan)
    if (plan.search === null || !prepared.ok) return prepared
    this.searcher ??= rememberSearches(this.engines)
    return yield* awaited(searchBefore(this.searcher, prepared.value, this.context))
  }
}

/**
 * The plugin searches once, for the user's last message, and adds the results to the request before the model is
 * called.
 */
async function searchBefore(
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
  const next = await runInSlices(encodeCall(prepared, withResults(request, results)))
  return next.ok ? ok({ ...next.value, search: { ...plan, sources } }) : next
}
