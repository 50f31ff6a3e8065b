import { clientError, type GatewayError } from '../protocol/error.ts'
import type { RequestLimits } from '../protocol/limits.ts'
import { isObject } from '../text/json.ts'
import { pathIn } from './messages.ts'

/** Members of a body that are lists of tools, in any client API. */
const TOOLS: ReadonlySet<string> = new Set(['tools', 'functions'])

/**
 * Counts the entries of the lists of a body, before anything else reads them: O(values). The count does not depend on
 * the client API: the lists directly below a body are its conversation, its tools, and shorter ones. Returns null if no
 * limit is exceeded.
 */
export function checkSize(body: Readonly<Record<string, unknown>>, limits: RequestLimits): GatewayError | null {
  for (const name of Object.keys(body)) {
    const list = body[name]
    if (!Array.isArray(list)) continue
    const fault = TOOLS.has(name) ? faultOfTools(list, limits.tools) : faultOfItems(list, limits)
    if (fault === null) continue
    const path = pathIn('', name)
    return clientError('invalid_prompt', `${path}: expected at most ${fault}`, path)
  }
  return null
}

function faultOfItems(list: readonly unknown[], { items, parts }: RequestLimits): string | null {
  if (list.length > items) return `${items} entries, got ${list.length}`
  // A part may contain parts: those of a tool's output.
  const inside = sum(list, (item) => sumInLists(item, (part) => 1 + sumInLists(part, () => 1)))
  return inside > parts ? `${parts} content parts in total, got ${inside}` : null
}

function faultOfTools(list: readonly unknown[], most: number): string | null {
  if (list.length > most) return `${most} tools, got ${list.length}`
  const inside = sum(list, (tool) => sumInLists(tool, (inner) => (isObject(inner) ? 1 : 0)))
  return inside > most ? `${most} tools in total, got ${inside}` : null
}

const sum = (list: readonly unknown[], count: (entry: unknown) => number): number => {
  let total = 0
  for (const entry of list) total += count(entry)
  return total
}

/** Adds up the counts of all entries in lists directly below an object. */
function sumInLists(value: unknown, count: (entry: unknown) => number): number {
  if (!isObject(value)) return 0
  let total = 0
  for (const name in value) {
    const list = value[name]
    if (Array.isArray(list)) total += sum(list, count)
  }
  return total
}
