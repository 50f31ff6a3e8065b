import { findJsonProblem } from '../../text/json-problem.ts'

/** `mistake`: place and reason, such as ` (line 2, column 24): expected a comma or }`. It never quotes the text. */
export type ParsedText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly mistake: string }

/** Parses a file that a person has written: a byte order mark is allowed, and a mistake has a place. */
export function parseJsonText(given: string): ParsedText {
  const text = given.replace(/^\ufeff/, '')
  // The parser's own message may quote the text, which may contain secrets.
  const problem = findJsonProblem(text)
  if (problem === null) return { ok: true, value: JSON.parse(text) }
  const { line, column, message } = problem
  return { ok: false, mistake: ` (line ${line}, column ${column}): ${message}` }
}
