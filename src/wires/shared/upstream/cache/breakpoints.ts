import type { CacheBreakpoint, InputItem, InputPart, Request } from '../../../../protocol/request.ts'
import type { CachePlace } from '../../../cache-support.ts'

/** A breakpoint of a request, and the value that it stands on. */
export interface PlacedBreakpoint {
  readonly place: CachePlace
  /** The path of that value: `tools[3]`, `input[2].content[0]`, `instruction_breakpoints[0]`. */
  readonly path: string
  readonly breakpoint: CacheBreakpoint
}

/** Only the breakpoints of instructions have no value of their own: their ends are numbers. */
export const memberPath = ({ place, path }: Pick<PlacedBreakpoint, 'place' | 'path'>): string =>
  place === 'instructions' ? path : `${path}.prompt_cache_breakpoint`

type Parts = readonly { readonly prompt_cache_breakpoint?: CacheBreakpoint | null | undefined }[]

/** `item`: the index of the item that has the parts in a member of this name; null for a member of the request. */
function partsIn(parts: Parts, item: number | null, name: string, place: CachePlace, found: PlacedBreakpoint[]): void {
  for (let at = 0; at < parts.length; at += 1) {
    const breakpoint = parts[at]?.prompt_cache_breakpoint
    if (breakpoint) found.push({ place, path: `${item === null ? name : `input[${item}].${name}`}[${at}]`, breakpoint })
  }
}

function itemIn(item: InputItem, at: number, found: PlacedBreakpoint[]): void {
  switch (item.type) {
    case 'message': {
      const place = item.role === 'assistant' ? 'answer' : item.role === 'user' ? 'prompt' : 'rules'
      partsIn(item.content, at, 'content', place, found)
      return
    }
    case 'function_call':
    case 'custom_tool_call':
      if (item.prompt_cache_breakpoint)
        found.push({ place: 'call', path: `input[${at}]`, breakpoint: item.prompt_cache_breakpoint })
      return
    case 'function_call_output':
    case 'custom_tool_call_output':
      partsIn(item.output, at, 'output', 'output part', found)
      if (item.prompt_cache_breakpoint)
        found.push({ place: 'output', path: `input[${at}]`, breakpoint: item.prompt_cache_breakpoint })
      return
    default:
  }
}

/** Returns the breakpoints of a request in the order of its prompt: tools, instructions, input. O(n) for n parts. */
export function breakpointsOf({ tools, instruction_breakpoints, input }: Request): readonly PlacedBreakpoint[] {
  const found: PlacedBreakpoint[] = []
  partsIn(tools, null, 'tools', 'tool', found)
  for (const [at, breakpoint] of instruction_breakpoints.entries())
    found.push({ place: 'instructions', path: `instruction_breakpoints[${at}]`, breakpoint })
  for (let at = 0; at < input.length; at += 1) itemIn(input[at] as InputItem, at, found)
  return found
}

// ---------------------------------------------------------------- writing

type Found = ReadonlyMap<string, CacheBreakpoint>

/** Returns the value with this breakpoint, or without any. */
function withBreakpoint<T extends Parts[number]>(value: T, breakpoint: CacheBreakpoint | undefined): T {
  if (breakpoint !== undefined) return Object.assign({}, value, { prompt_cache_breakpoint: breakpoint })
  if (value.prompt_cache_breakpoint === undefined) return value
  const { prompt_cache_breakpoint: _, ...rest } = value
  // Every type of value has the member as an optional one.
  return rest as T
}

const inParts = <T extends Parts[number]>(parts: readonly T[], path: string, found: Found): readonly T[] =>
  parts.map((part, at) => withBreakpoint(part, found.get(`${path}[${at}]`)))

function inItem(item: InputItem, at: number, found: Found): InputItem {
  const path = `input[${at}]`
  switch (item.type) {
    case 'message':
      return item.role === 'assistant'
        ? { ...item, content: inParts(item.content, `${path}.content`, found) }
        : { ...item, content: inParts(item.content, `${path}.content`, found) }
    case 'function_call':
    case 'custom_tool_call':
      return withBreakpoint(item, found.get(path))
    case 'function_call_output':
    case 'custom_tool_call_output':
      return withBreakpoint(
        { ...item, output: inParts<InputPart>(item.output, `${path}.output`, found) },
        found.get(path),
      )
    default:
      return item
  }
}

const INDEX = /^input\[(\d+)\]/

const indexOf = ({ path }: PlacedBreakpoint): readonly number[] => {
  const index = INDEX.exec(path)?.[1]
  return index === undefined ? [] : [Number(index)]
}

/**
 * Returns the request with exactly these breakpoints. `old`: those that it has. Those of the instructions keep their
 * ends; a path `instructions` stands for the end of all of them.
 */
export function withBreakpoints(
  request: Request,
  old: readonly PlacedBreakpoint[],
  now: readonly PlacedBreakpoint[],
): Request {
  const found: Found = new Map(now.map(({ path, breakpoint }) => [path, breakpoint]))
  const touched = new Set([...old, ...now].flatMap(indexOf))
  const hasTools = [...old, ...now].some(({ place }) => place === 'tool')
  const whole = found.get('instructions')
  return {
    ...request,
    tools: hasTools ? inParts(request.tools, 'tools', found) : request.tools,
    instruction_breakpoints:
      whole === undefined
        ? request.instruction_breakpoints.flatMap(({ end }, at) => {
            const breakpoint = found.get(`instruction_breakpoints[${at}]`)
            return breakpoint === undefined ? [] : [{ ...breakpoint, end }]
          })
        : [{ end: request.instructions?.length ?? 0, ...whole }],
    input:
      touched.size === 0
        ? request.input
        : request.input.map((item, at) => (touched.has(at) ? inItem(item, at, found) : item)),
  }
}
