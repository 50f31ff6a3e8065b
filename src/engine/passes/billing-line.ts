import type { InputItem, InputPart, Request } from '../../protocol/request.ts'
import { hasBillingLine, keepsBillingLine, withoutBillingLine } from '../../wires/shared/billing-line.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import type { Pass } from './pass.ts'

/** The line of Claude Code's accounting reaches Anthropic only: in any other prompt it breaks the cache of the prefix. */
export const billingLine: Pass = (client, context) => {
  const { request } = client
  if (!isPresent(request)) return null
  if (context.wire.readsBillingLine === true && keepsBillingLine(context.quirks, factsOf(context, context.wire.name)))
    return null
  return { client: { ...client, request: withoutLine(request) } }
}

/** The parts of a rule at the beginning of the conversation, the only item that may have the line. */
function firstRule([first]: readonly InputItem[]): readonly InputPart[] {
  const isRule = first?.type === 'message' && (first.role === 'system' || first.role === 'developer')
  return isRule ? first.content : []
}

const isPresent = ({ instructions, input }: Request): boolean =>
  (instructions !== null && hasBillingLine(instructions)) ||
  firstRule(input).some((part) => part.type === 'input_text' && hasBillingLine(part.text))

const withoutLineIn = (part: InputPart): InputPart =>
  part.type === 'input_text' && hasBillingLine(part.text) ? { ...part, text: withoutBillingLine(part.text).text } : part

function withoutLine(request: Request): Request {
  const { instructions, instruction_breakpoints, input } = request
  const [first, ...others] = input
  const isRule = first?.type === 'message' && (first.role === 'system' || first.role === 'developer')
  const shown = isRule ? [{ ...first, content: first.content.map(withoutLineIn) }, ...others] : input
  if (instructions === null) return { ...request, input: shown }
  const { text, toPlace } = withoutBillingLine(instructions)
  return {
    ...request,
    instructions: text === '' ? null : text,
    instruction_breakpoints: instruction_breakpoints
      .map((one) => ({ ...one, end: toPlace(one.end) }))
      .filter(({ end }) => end > 0),
    input: shown,
  }
}
