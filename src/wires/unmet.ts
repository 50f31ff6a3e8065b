import { dropped, type Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'

type Field =
  | 'max_tool_calls'
  | 'metadata'
  | 'parallel_tool_calls'
  | 'plugins'
  | 'prompt_cache_key'
  | 'safety_identifier'
  | 'service_tier'
  | 'truncation'
  | 'user'
  | 'x_search_filter'

/** Values that ask for what one gets unasked: some clients send them always. */
const UNASKED: Readonly<Partial<Record<Field, readonly unknown[]>>> = {
  parallel_tool_calls: [true],
  service_tier: ['auto', 'default'],
  truncation: ['disabled'],
}

function isAsked(request: Request, name: Field): boolean {
  const value = request[name]
  if (value === null || (Array.isArray(value) && value.length === 0)) return false
  return UNASKED[name]?.includes(value) !== true
}

/** The losses of those fields that a wire has nothing for, and that were asked for. */
export const unmet = (request: Request, names: readonly Field[], why: string): readonly Loss[] =>
  names.filter((name) => isAsked(request, name)).map((name) => dropped(name, why))
