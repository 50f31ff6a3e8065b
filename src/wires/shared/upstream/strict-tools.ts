import { dropped, type Loss } from '../../../protocol/loss.ts'
import type { Tool } from '../../../protocol/request.ts'

/** The reasons why a wire drops `strict` of a function. Wires without one send it to every model. */
export const NOT_STRICT = {
  /** Anthropic Messages: unless the fact `strictTools` is true. Bedrock: if it is false. */
  model: 'this model does not enforce schemas',
  /** Gemini, in both of its wires: always. */
  gemini: 'Gemini does not enforce schemas',
  /** Ollama: always. */
  upstream: 'this upstream does not enforce schemas',
  /** Cohere: `strict_tools` is a setting of the whole request. */
  together: 'this upstream supports strict only if all tools are strict and have required parameters',
  /** Schemas that cannot bind Claude (`engine/rules/schemas.ts`). */
  subset: 'the schema is not in the subset that this upstream enforces',
  size: 'the schemas of all strict tools together are too large for this upstream',
} as const

/** Returns the loss of a function whose `strict` is not sent; none if it has none. */
export const strictLosses = (tool: Tool, at: number, why: keyof typeof NOT_STRICT): readonly Loss[] =>
  tool.type === 'function' && tool.strict === true ? [dropped(`tools[${at}].strict`, NOT_STRICT[why])] : []
