import { RE2JS } from 're2js'

/** Of these there are as many as operators write rules. */
const MOST_PATTERNS = 256

const COMPILED = new Map<string, RE2JS>()

/**
 * An operator's regular expression, in RE2's dialect: it takes time linear in the text, whatever the expression, since it
 * never goes back. So it has no lookaround and no backreferences. Throws where it is none.
 */
export function compilePattern(pattern: string): RE2JS {
  const known = COMPILED.get(pattern)
  if (known !== undefined) return known
  // As JavaScript writes characters by their numbers, and names of groups.
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
  if (COMPILED.size >= MOST_PATTERNS) COMPILED.clear()
  COMPILED.set(pattern, compiled)
  return compiled
}

/** What is wrong with a regular expression; null where nothing is. */
export function faultOfPattern(pattern: string): string | null {
  try {
    compilePattern(pattern)
    return null
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    return `expected a regular expression that RE2 knows (no lookaround, no backreferences), got ${reason}`
  }
}
