import type { Delta } from '../../../protocol/delta.ts'
import { toClientArguments } from '../../../responses/call-arguments.ts'

/**
 * Drops calls that are cut off or whose arguments are no object: a call in a whole answer needs an object as its
 * input. The answer then ends as cut off. A stream has already sent the pieces of such a call.
 */
export function withoutBroken(deltas: readonly Delta[]): readonly Delta[] {
  const broken = brokenIn(deltas)
  if (broken.size === 0) return deltas
  return deltas
    .filter((it) => !('key' in it && broken.has(it.key)))
    .map((it) => (it.kind === 'finish' && it.reason === 'stop' ? { kind: 'finish', reason: 'max_output_tokens' } : it))
}

/** Returns the keys of calls that were cut off or whose arguments are no JSON object. */
function brokenIn(deltas: readonly Delta[]): ReadonlySet<string> {
  const calls = new Map<string, string>()
  const cut = new Set<string>()
  for (const it of deltas) {
    if (it.kind === 'call' && it.type === 'function_call') {
      calls.set(it.key, (calls.get(it.key) ?? '') + it.arguments)
    } else if (it.kind === 'stop' && it.cut === true) cut.add(it.key)
  }
  const broken = [...calls].filter(([key, text]) => cut.has(key) || toClientArguments(text) === null)
  return new Set(broken.map(([key]) => key))
}
