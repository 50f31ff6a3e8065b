import { clientError, type GatewayError } from '../protocol/error.ts'
import type { Quirks } from './quirks.ts'
import type { WireName } from './wire.ts'

interface ModelNames {
  readonly pattern: RegExp
  /** For clients. */
  readonly words: string
}

/** Where the body names the model, its name is the vendor's business: any text that can be shown on a line. */
const IN_BODY: ModelNames = { pattern: /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u, words: 'characters that can be shown' }

/** Where the path names it, it is made of segments, none of which leads elsewhere. */
const SEGMENT = String.raw`(?!\.{1,2}(?:\/|$))[\w.:@~+-]+`
const IN_SEGMENT: ModelNames = {
  pattern: new RegExp(`^${SEGMENT}$`),
  words: 'letters, digits and . _ : @ ~ + -',
}
const IN_PATH: ModelNames = {
  pattern: new RegExp(String.raw`^\/*${SEGMENT}(?:\/${SEGMENT})*$`),
  words: `${IN_SEGMENT.words}, with / between its parts`,
}

const NAMES = {
  'openai-chat': IN_BODY,
  'openai-responses': IN_BODY,
  'anthropic-messages': IN_BODY,
  // A collection may stand before the name: models/x, tunedModels/x.
  'gemini-generate': IN_PATH,
  // An ARN has slashes.
  'bedrock-converse': IN_PATH,
  'cohere-chat': IN_BODY,
  'ollama-chat': IN_BODY,
} satisfies Record<WireName, ModelNames>

/** The name is none that upstreams of this wire can have; null where it may be one. */
export function faultOfModel(model: string, wire: WireName, { rawPredict }: Quirks): GatewayError | null {
  const { pattern, words } = rawPredict === true ? IN_SEGMENT : NAMES[wire]
  return pattern.test(model) ? null : clientError('invalid_prompt', `model: expected a name of ${words}`, 'model')
}

/** Of a name that cannot stand in a path. */
export const NO_PATH: GatewayError = clientError(
  'invalid_prompt',
  'model: expected a name that can stand in a path',
  'model',
)
