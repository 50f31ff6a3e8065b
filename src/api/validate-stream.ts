import { type CheckViolation, checkStream, detectDialect } from '../dialects/check-stream.ts'
import type { Dialect, DialectName } from '../dialects/dialect.ts'
import { checkOptions, checkText } from '../validation/arguments.ts'
import { dialectNamed } from './names.ts'

interface ValidationOptions {
  /** Default: the dialect that the stream looks like. */
  readonly dialect?: DialectName | Dialect
}

/**
 * Returns every rule of its dialect that a Responses stream breaks; none if it is correct. `text`: the whole stream, as
 * server-sent events. O(n log n).
 *
 * @throws TypeError for an unknown dialect, and for an option that does not exist.
 */
export function validateResponsesStream(text: string, options: ValidationOptions = {}): readonly CheckViolation[] {
  checkText(text, 'text')
  checkOptions(options, ['dialect'])
  const { dialect } = options
  return checkStream(text, dialect === undefined ? detectDialect(text) : dialectNamed('dialect', dialect))
}
