import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { UNSUPPORTED_VALUE } from '../../../protocol/loss.ts'
import { CACHE_LIFETIMES, type CacheBreakpoint, type InstructionBreakpoint } from '../../../protocol/request.ts'
import { isObject, toArray } from '../../../text/json.ts'
import { fieldSet, pickKnown } from '../../../validation/known-fields.ts'
import { dropField, isAbsent, type RequestReader } from './request-reader.ts'

const CONTROL = fieldSet(['type', 'ttl'])
const BREAKPOINT = fieldSet(['mode', 'ttl'])

/** The two names of a breakpoint: OpenAI's, and that of Anthropic and OpenRouter. */
export const BREAKPOINT_NAMES = ['prompt_cache_breakpoint', 'cache_control'] as const

const UNKNOWN = UNSUPPORTED_VALUE

function lifetimeOf(ttl: unknown, path: string, notes: RequestReader): CacheBreakpoint {
  const lifetime = CACHE_LIFETIMES.find((known) => known === ttl) ?? null
  if (!isAbsent(ttl) && lifetime === null) dropField(notes, `${path}.ttl`, UNKNOWN)
  return { mode: 'explicit', ttl: lifetime }
}

/** Reads `{ type: 'ephemeral', ttl }`. Null if it is absent, or has another form, which is a loss. */
function cacheControlAt(notes: RequestReader, path: string, value: unknown): CacheBreakpoint | null {
  if (isAbsent(value)) return null
  if (isObject(value) && value.type === 'ephemeral') {
    return lifetimeOf(pickKnown(value, CONTROL, path, notes).ttl, path, notes)
  }
  dropField(notes, path, UNKNOWN)
  return null
}

function ownBreakpointAt(notes: RequestReader, path: string, value: unknown): CacheBreakpoint | null {
  if (isObject(value) && value.mode === 'explicit') {
    return lifetimeOf(pickKnown(value, BREAKPOINT, path, notes).ttl, path, notes)
  }
  dropField(notes, path, UNKNOWN)
  return null
}

/** Reads the breakpoint of a part, a tool or an item under either of its names. */
function breakpointAt(notes: RequestReader, path: string, given: JsonRecord): CacheBreakpoint | null {
  const name = isAbsent(given.prompt_cache_breakpoint) ? 'cache_control' : 'prompt_cache_breakpoint'
  const at = `${path}.${name}`
  const found =
    name === 'cache_control' ? cacheControlAt(notes, at, given.cache_control) : ownBreakpointAt(notes, at, given[name])
  if (found !== null) notes.breakpoints.set(found, at)
  return found
}

/** Sets the breakpoint that the client's own value has. `path`: the path of that value. */
export function withBreakpointOf(
  notes: RequestReader,
  path: string,
  given: JsonRecord,
  decoded: JsonObject,
): JsonObject {
  const found = breakpointAt(notes, path, given)
  return found === null ? decoded : { ...decoded, prompt_cache_breakpoint: found as unknown as JsonObject }
}

/** Sets it on the last of the parts that the value became. Without any part it is a loss. */
export function withBreakpointAtEnd(
  notes: RequestReader,
  path: string,
  given: JsonRecord,
  parts: readonly JsonObject[],
): readonly JsonObject[] {
  if (isAbsent(given.cache_control) && isAbsent(given.prompt_cache_breakpoint)) return parts
  const last = parts.at(-1)
  if (last !== undefined) return [...parts.slice(0, -1), withBreakpointOf(notes, path, given, last)]
  dropField(notes, `${path}.cache_control`, 'nothing of this block is sent')
  return parts
}

/** Reads the breakpoint at the end of a text of the instructions, whose length so far is `end`. */
export function instructionBreakpointAt(
  notes: RequestReader,
  path: string,
  given: JsonRecord,
  end: number,
): readonly InstructionBreakpoint[] {
  const found = breakpointAt(notes, path, given)
  if (found === null) return []
  const placed = { ...found, end }
  notes.breakpoints.set(placed, `${path}.cache_control`)
  return [placed]
}

// ---------------------------------------------------------------- paths

/** Reads the prompt's own `cache_control`, which places a breakpoint at the end of the prompt. */
export function promptControlAt(notes: RequestReader, value: unknown): JsonObject {
  const found = cacheControlAt(notes, 'cache_control', value)
  return found === null ? {} : { prompt_cache_options: { mode: 'implicit', ttl: found.ttl } }
}

/** The decoded values that breakpoints stand on. */
interface Decoded {
  readonly tools: readonly JsonRecord[]
  readonly input: readonly JsonRecord[]
  readonly instructions: readonly InstructionBreakpoint[]
}

/**
 * Returns the client's paths of all breakpoints, by their paths in the Responses request. O(n) for n parts of a request
 * with a breakpoint.
 */
export function breakpointPaths(
  { breakpoints }: RequestReader,
  { tools, input, instructions }: Decoded,
): ReadonlyMap<string, string> {
  const paths = new Map<string, string>()
  if (breakpoints.size === 0) return paths
  const add = (value: unknown, path: string): void => {
    const own = isObject(value) ? value : {}
    const found = breakpoints.get(own.prompt_cache_breakpoint as Json)
    if (found !== undefined) paths.set(`${path}.prompt_cache_breakpoint`, found)
  }
  tools.forEach((tool, at) => {
    add(tool, `tools[${at}]`)
  })
  instructions.forEach((breakpoint, at) => {
    paths.set(`instruction_breakpoints[${at}]`, breakpoints.get(breakpoint) ?? 'system')
  })
  input.forEach((item, at) => {
    add(item, `input[${at}]`)
    for (const name of ['content', 'output']) {
      toArray(item[name]).forEach((part, i) => {
        add(part, `input[${at}].${name}[${i}]`)
      })
    }
  })
  return paths
}
