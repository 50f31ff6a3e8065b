import { withoutEncryptedReasoning } from '../../../engine/upstream-call.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import { redactError } from '../../../wires/shared/upstream/redact.ts'
import type { ClientApi } from '../../clients/client-api.ts'
import type { Gateway } from '../../gateway.ts'
import { searchBefore } from '../../search/search-first.ts'
import { callUpstream } from '../../upstream/call-upstream.ts'
import { retryDelay, sleep } from '../../upstream/retry.ts'
import type { RequestContext } from '../request-context.ts'
import { sendError } from '../send.ts'
import { noteLosses } from './loss-header.ts'
import { planExchange } from './plan-request.ts'
import { encodeCall, type Prepared } from './prepare-request.ts'

/** Handles a request of any client API. Resolves when the answer or the error has been sent. */
export async function postRequest(gateway: Gateway, api: ClientApi, context: RequestContext): Promise<void> {
  const plan = await planExchange(gateway, api, context)
  const prepared = plan.ok ? await encodeCall(plan.value) : plan
  if (!prepared.ok) return sendError(context, prepared.error)
  const begun = await searchBefore(gateway, prepared.value, context)
  if (!begun.ok) return sendError(context, begun.error)
  noteLosses(context, begun.value)
  const failed = await answer(gateway, begun.value, context)
  if (failed === null) return
  const error = redactError(failed.error, begun.value.options.redact)
  sendError(context, error, failed.isSpent ? { 'x-should-retry': 'false' } : {})
}

/** The reason why a request has no answer. */
interface Failed {
  readonly error: GatewayError
  /**
   * The gateway has retried the request already, or may not retry it. A client that retries as well would multiply the
   * load of the upstream.
   */
  readonly isSpent: boolean
}

/** Retries as long as nothing was sent to the client and the failure may pass. */
async function answer(gateway: Gateway, first: Prepared, context: RequestContext): Promise<Failed | null> {
  const { guard, metrics } = gateway
  const { origin } = first.options
  let prepared = first
  let last: GatewayError | null = null
  guard.spendFirst(origin.vendor)
  for (let tries = 1; ; tries += 1) {
    const refusal = guard.admit(origin)
    if (refusal !== null) {
      metrics.noteRefusedTry(origin.vendor, 'breaker')
      return { error: last ?? refusal, isSpent: last !== null }
    }
    const error = await callUpstream(gateway, prepared, context)
    const { reason } = context.signal
    if (reason === null) guard.note(origin, error)
    if (error === null) return null
    if (reason !== null) return { error: reason, isSpent: false }
    const unsealed = error.code === 'invalid_encrypted_content' ? await withoutReasoning(prepared) : null
    const delay = unsealed === null ? retryDelay(error, tries, gateway.jitter(), gateway.config.retry) : 0
    if (delay === null) return { error, isSpent: tries > 1 }
    if (unsealed === null && !guard.spendAgain(origin.vendor)) {
      metrics.noteRefusedTry(origin.vendor, 'budget')
      return { error, isSpent: true }
    }
    last = error
    if (unsealed !== null) {
      prepared = unsealed
      noteLosses(context, prepared)
    }
    noteRetry(context)
    await sleep(delay, context.signal)
    if (context.signal.reason !== null) return { error: context.signal.reason, isSpent: false }
  }
}

/** The log names the failure of the last attempt only. */
function noteRetry({ entry }: RequestContext): void {
  entry.retries += 1
  entry.error = null
  entry.party = null
}

/** The same call without encrypted reasoning, which the upstream could not read; null if the request has none. */
async function withoutReasoning(prepared: Prepared): Promise<Prepared | null> {
  const changed = withoutEncryptedReasoning(prepared.request)
  const again = changed === null ? null : await encodeCall(prepared, changed.request, changed.losses)
  return again?.ok === true ? again.value : null
}
