import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Request } from '../../protocol/request.ts'
import type { Steps } from '../../text/steps.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import { roundedSchemas } from '../../wires/shared/upstream/schemas/mend-tools.ts'
import { mendRequest } from '../rules/mend-request.ts'
import type { Facts } from '../rules/rule.ts'
import { rulesFor } from '../rules/rules.ts'
import type { Pass, PassContext, Passed, PlannedPass } from './pass.ts'

/** The facts on which the rules of an upstream depend. `clientWire`: the protocol of the client. */
export const ruleFacts = (
  { wire, quirks, model, open }: Pick<PassContext, 'wire' | 'quirks' | 'model' | 'open'>,
  clientWire: string,
): Facts => ({ model: factsOf({ model, quirks }, wire.name), quirks, wire, isOwn: clientWire === wire.name, open })

/**
 * The error for functions that the model does not call at all over this protocol: an agent without its functions
 * behaves differently.
 */
export function refusedFunctions(
  { tools, tool_choice }: Request,
  { model: { chatTools }, wire }: Pick<Facts, 'model' | 'wire'>,
): GatewayError | null {
  if (wire.chatLimits !== true || chatTools !== 'none' || tool_choice === 'none') return null
  const at = tools.findIndex(({ type }) => type !== 'hosted')
  if (at < 0) return null
  const path = `tools[${at}]`
  const remedy = 'choose an upstream of the Responses API, another model, or leave them out'
  return clientError('invalid_prompt', `${path}: this model calls no functions in Chat Completions; ${remedy}`, path)
}

/**
 * A request obeys the rules of its upstream, for all wires. Each change is a loss, and so are numbers of schemas that
 * parsing has rounded. A client of the same protocol receives the upstream's own refusal of functions.
 */
export const obeysRules: Pass = ({ request, sent }, context) => {
  const apply: PlannedPass['apply'] = (original) => obeying(original, ruleFacts(context, sent.wire), context.rules)
  const refusal = sent.wire === context.wire.name ? null : refusedFunctions(request, ruleFacts(context, sent.wire))
  return refusal === null ? { apply } : { refusal, apply }
}

// A generator of each request, not of each closure: V8 gives every closure's generators a hidden class of their own.
function* obeying(original: Request, facts: Facts, own: PassContext['rules']): Steps<Passed> {
  const { request, losses, toEarlier } = yield* mendRequest(original, facts, rulesFor(facts, own))
  // With a map of paths, repetitions among the later losses are listed once.
  return { ok: true, request, losses: [...losses, ...roundedSchemas(request)], toEarlier }
}
