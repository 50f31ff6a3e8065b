import type { ConfigPath } from './checks.ts'

/** An open object or list. `step`: the name or index of the current value. */
type Open =
  | { readonly names: Set<string>; step: string; isName: boolean }
  | { readonly names: null; step: number; isName: false }

/**
 * Strings and punctuation; numbers and literals do not change the position in the value. The final quote is optional only
 * so that the pattern takes linear time on any text.
 */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*"?|[{}[\],:]/g

/**
 * Returns the path of every name that its object contains a second time. `text`: valid JSON. `JSON.parse` keeps only the
 * last value, so that the first one would be ignored silently. O(n).
 */
export function findRepeatedNames(text: string): readonly ConfigPath[] {
  const open: Open[] = []
  const repeated: ConfigPath[] = []
  for (const [token] of text.matchAll(TOKEN)) {
    const top = open.at(-1)
    if (token === '{') open.push({ names: new Set(), step: '', isName: true })
    else if (token === '[') open.push({ names: null, step: 0, isName: false })
    else if (token === '}' || token === ']') open.pop()
    else if (top === undefined) continue
    else if (top.names === null) top.step += token === ',' ? 1 : 0
    else if (token === ',') top.isName = true
    else if (token === ':') top.isName = false
    else if (top.isName) {
      top.step = JSON.parse(token)
      if (top.names.has(top.step)) repeated.push(open.map(({ step }) => step))
      top.names.add(top.step)
    }
  }
  return repeated
}
