import { emptyAnswer } from '../../../engine/translation.ts'
import type { ClientApi } from '../../clients/client-api.ts'
import type { Gateway } from '../../gateway.ts'
import { noteLosses } from '../endpoints/loss-header.ts'
import { planExchange } from '../endpoints/plan-request.ts'
import { encodeCall } from '../endpoints/prepare-request.ts'
import type { RequestContext } from '../request-context.ts'
import { sendError } from '../send.ts'

const UNHURRIED = { keepAliveMs: 0, onFull: () => undefined, onDrain: () => undefined }

/**
 * Answers a request with `generate: false`: it is checked and kept as any other, so that a later request can continue
 * it, but no upstream is called.
 */
export async function warmUp(gateway: Gateway, api: ClientApi, context: RequestContext): Promise<void> {
  const plan = await planExchange(gateway, api, context)
  const prepared = plan.ok ? await encodeCall(plan.value) : plan
  if (!prepared.ok) return sendError(context, prepared.error)
  noteLosses(context, prepared.value)
  prepared.value.call.onWritten()
  const { options } = prepared.value
  context.entry.outcome = 'completed'
  context.reply.openStream(context, options.target, UNHURRIED).end(emptyAnswer(options))
}
