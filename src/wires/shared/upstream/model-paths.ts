import { clientError, type GatewayError } from '../../../protocol/error.ts'
import { describeValue } from '../../../validation/messages.ts'
import type { WireName } from '../../contract.ts'
import type { Quirks } from '../../quirks.ts'

interface ModelNames {
  readonly pattern: RegExp
  /** The allowed characters, for error messages to clients. */
  readonly words: string
}

/** A model's name in the body may be any printable text on one line: the vendor validates it. */
const IN_BODY: ModelNames = { pattern: /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u, words: 'printable characters on one line' }

/**
 * A model's name in the path consists of path segments; `.` and `..` are refused, because they would change the path.
 */
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
  // A collection may precede the name: models/x, tunedModels/x.
  'gemini-generate': IN_PATH,
  'gemini-interactions': IN_BODY,
  // An ARN contains slashes.
  'bedrock-converse': IN_PATH,
  'cohere-chat': IN_BODY,
  'ollama-chat': IN_BODY,
} satisfies Record<WireName, ModelNames>

/** Returns an error if no upstream of this wire can have a model of this name; otherwise null. */
export function faultOfModel(model: string, wire: WireName, { rawPredict }: Quirks): GatewayError | null {
  const { pattern, words } = rawPredict === true ? IN_SEGMENT : NAMES[wire]
  if (pattern.test(model)) return null
  return clientError('invalid_prompt', `model: expected a name of ${words}, got ${describeValue(model)}`, 'model')
}

/** The error for a model's name that cannot be part of a path. */
export const NO_PATH: GatewayError = clientError(
  'invalid_prompt',
  'model: expected a name that can be part of a URL path',
  'model',
)
