import { upstreamModel } from '../models/model-facts.ts'
import { clientError, type GatewayError } from '../protocol/error.ts'
import { describeValue } from '../validation/messages.ts'
import type { Wire } from './contract.ts'
import type { Quirks } from './quirks.ts'

interface ModelNames {
  readonly pattern: RegExp
  /** The allowed characters, for error messages to clients. */
  readonly words: string
}

/** A model's name in the body may be any printable text on one line: the vendor validates it. */
const IN_BODY: ModelNames = { pattern: /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u, words: 'printable characters on one line' }

/**
 * A model's name in the path consists of path segments; `.` and `..` are refused, because they would change the path. A
 * collection may precede it (`models/x`, `tunedModels/x`), and an ARN contains slashes.
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

/** Returns an error if no upstream of this wire can have a model of this name; otherwise null. */
export function faultOfModel(
  model: string,
  { modelInPath }: Pick<Wire, 'modelInPath'>,
  { rawPredict }: Quirks,
): GatewayError | null {
  const inPath = modelInPath === true ? IN_PATH : IN_BODY
  const { pattern, words } = rawPredict === true ? IN_SEGMENT : inPath
  if (pattern.test(upstreamModel(model))) return null
  return clientError('invalid_prompt', `model: expected a name of ${words}, got ${describeValue(model)}`, 'model')
}
