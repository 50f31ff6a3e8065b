import { RE2JS } from 're2js'

/** Bounds the cache; operators write about as many patterns as rules. */
const MOST_PATTERNS = 256

const COMPILED = new Map<string, RE2JS>()

/**
 * Compiles an operator's regular expression in RE2's syntax. Matching never backtracks, so it takes time linear in the
 * text, whatever the expression; there are no lookarounds and no backreferences. Throws if the text is not a regular
 * expression.
 */
export function compilePattern(pattern: string): RE2JS {
  const known = COMPILED.get(pattern)
  if (known !== undefined) return known
  // Converts JavaScript's syntax for characters by number and for named groups.
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
  if (COMPILED.size >= MOST_PATTERNS) COMPILED.clear()
  COMPILED.set(pattern, compiled)
  return compiled
}

/** Returns the fault of a regular expression; null if it is valid. */
export function faultOfPattern(pattern: string): string | null {
  try {
    compilePattern(pattern)
    return null
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    return `expected a regular expression that RE2 supports (no lookaround, no backreferences), got ${reason}`
  }
}
