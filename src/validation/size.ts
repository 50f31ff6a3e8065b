import { clientError, type GatewayError } from '../protocol/error.ts'
import type { JsonRecord } from '../protocol/json.ts'
import type { RequestLimits } from '../protocol/limits.ts'
import { isObject } from '../text/json.ts'
import { pathIn } from './messages.ts'

/** Members of a body that are lists of tools, in any client API. */
const TOOLS: ReadonlySet<string> = new Set(['tools', 'functions'])

/** Items of the Responses API with a list of tools. */
const TOOL_ITEMS: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output'])

/**
 * Counts the entries of the lists of a body, before anything else reads them: O(values). The count does not depend on
 * the client API: the lists directly below a body are its conversation, its tools, and shorter ones. Returns null if no
 * limit is exceeded.
 */
export function checkSize(body: JsonRecord, limits: RequestLimits): GatewayError | null {
  let [own, added] = [0, 0]
  for (const name of Object.keys(body)) {
    const list = body[name]
    if (!Array.isArray(list)) continue
    const fault = TOOLS.has(name) ? faultOfTools(list, limits.tools) : faultOfItems(list, limits)
    if (fault !== null) return refuse(pathIn('', name), fault)
    if (TOOLS.has(name)) own += countTools(list)
    else added += sum(list, (item) => countTools(toolsOf(item)))
  }
  const all = own + added
  return added === 0 || all <= limits.tools ? null : refuse('input', `${limits.tools} tools in total, got ${all}`)
}

const refuse = (path: string, fault: string): GatewayError =>
  clientError('invalid_prompt', `${path}: expected at most ${fault}`, path)

/** The tools that an item of the conversation adds. */
const toolsOf = (item: unknown): readonly unknown[] =>
  isObject(item) && TOOL_ITEMS.has(item.type) && Array.isArray(item.tools) ? item.tools : []

const countTools = (list: readonly unknown[]): number =>
  sum(list, (tool) => (isObject(tool) && Array.isArray(tool.tools) ? Math.max(1, tool.tools.length) : 1))

function faultOfItems(list: readonly unknown[], { items, parts }: RequestLimits): string | null {
  if (list.length > items) return `${items} entries, got ${list.length}`
  // A part may contain parts: those of a tool's output.
  const inside = sum(list, (item) => sumInLists(item, (part) => 1 + sumInLists(part, () => 1), toolsOf(item)))
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

/** Adds up the counts of all entries in lists directly below an object, except this one. */
function sumInLists(value: unknown, count: (entry: unknown) => number, except: readonly unknown[] = []): number {
  if (!isObject(value)) return 0
  let total = 0
  for (const name in value) {
    const list = value[name]
    if (Array.isArray(list) && list !== except) total += sum(list, count)
  }
  return total
}
