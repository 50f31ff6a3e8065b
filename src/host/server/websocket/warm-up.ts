import { emptyAnswer } from '../../../engine/translation.ts'
import { type Encodable, encodeCall, type Prepared } from '../../../gateway/call/prepare-request.ts'
import type { ClientApi } from '../../../gateway/clients/client-api.ts'
import { planExchange } from '../../../gateway/endpoints/plan-request.ts'
import { noteLosses } from '../../../gateway/exchange/loss-header.ts'
import type { RequestContext } from '../../../gateway/exchange/request-context.ts'
import { sendError } from '../../../gateway/exchange/send.ts'
import type { Gateway } from '../../../gateway/gateway.ts'
import { runInSlices } from '../../../gateway/run-in-slices.ts'
import type { InputItem } from '../../../protocol/request.ts'
import type { Result } from '../../../protocol/result.ts'
import type { Steps } from '../../../text/steps.ts'

/** Stands for the prompt of a later request. */
const PROMPT: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: '…' }] }

/**
 * Encodes a request that may be only the beginning of a conversation: Anthropic and Bedrock require a message, and
 * Codex sends its tools and rules before it has a prompt.
 */
function* encodeBeginning(plan: Encodable): Steps<Result<Prepared>> {
  const prepared = yield* encodeCall(plan)
  if (prepared.ok) return prepared
  const { request } = plan.routed.client
  const completed = yield* encodeCall(plan, { ...request, input: [...request.input, PROMPT] })
  return completed.ok ? completed : prepared
}

const UNHURRIED = { keepAliveMs: 0, onFull: () => undefined, onDrain: () => undefined }

/**
 * Answers a request with `generate: false`: it is checked and kept as any other, so that a later request can continue
 * it, but no upstream is called.
 */
export async function warmUp(gateway: Gateway, api: ClientApi, context: RequestContext): Promise<void> {
  const prepared = await runInSlices(planExchange(gateway, api, context, encodeBeginning))
  if (!prepared.ok) return sendError(context, prepared.error)
  noteLosses(context, prepared.value)
  prepared.value.call.onWritten()
  const { options } = prepared.value
  context.journal.mark('warm')
  context.reply.openStream(context.journal, options.target, UNHURRIED).end(emptyAnswer(options))
}
