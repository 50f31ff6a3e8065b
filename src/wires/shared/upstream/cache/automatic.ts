import type { CacheBreakpoint, InputItem, InputPart, Request } from '../../../../protocol/request.ts'
import type { CachePlace, CacheSupport } from '../../../cache-support.ts'
import type { PlacedBreakpoint } from './breakpoints.ts'

const isRules = (item: InputItem): boolean =>
  item.type === 'message' && (item.role === 'system' || item.role === 'developer')

const isBlank = (part: InputPart): boolean => part.type === 'input_text' && part.text.trim() === ''

/** An end of a prefix, before it has a lifetime. */
type End = Omit<PlacedBreakpoint, 'breakpoint'>

const lastPart = (parts: readonly InputPart[], path: string, place: CachePlace): End | null => {
  const at = parts.findLastIndex((part) => !isBlank(part))
  return at < 0 ? null : { place, path: `${path}[${at}]` }
}

/** Returns the end of an item on the user's side; null for any other item, and for one without content. */
function endOfItem(item: InputItem, at: number, { places }: CacheSupport): End | null {
  const path = `input[${at}]`
  if (item.type === 'message') {
    return item.role === 'user' ? lastPart(item.content, `${path}.content`, 'prompt') : null
  }
  if (item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output') return null
  return places.has('output') ? { place: 'output', path } : lastPart(item.output, `${path}.output`, 'output part')
}

/** Returns the end of the instructions: of the system messages at the beginning, which follow `instructions`. */
function endOfRules({ input, instructions }: Request, { places }: CacheSupport): End | null {
  const others = input.findIndex((item) => !isRules(item))
  for (let at = (others < 0 ? input.length : others) - 1; at >= 0; at -= 1) {
    const item = input[at]
    const end =
      item?.type === 'message' && item.role !== 'assistant'
        ? lastPart(
            item.content.map((part) => (part.type === 'input_text' ? part : { type: 'input_text', text: '' })),
            `input[${at}].content`,
            'rules',
          )
        : null
    if (end !== null) return end
  }
  return (instructions ?? '').trim() === '' || !places.has('instructions')
    ? null
    : { place: 'instructions', path: 'instructions' }
}

/** Returns the end of the last tool that every model is shown from the start. */
function endOfTools({ tools }: Request): End | null {
  const at = tools.findLastIndex((tool) => tool.type !== 'function' || tool.deferred !== true)
  return at < 0 ? null : { place: 'tool', path: `tools[${at}]` }
}

/** Returns the ends of the user's turns from the last one backwards, at most `most`. */
function endsOfTurns({ input }: Request, support: CacheSupport, most: number): readonly End[] {
  const ends: End[] = []
  let isOpen = false
  for (let at = input.length - 1; at >= 0 && ends.length < most; at -= 1) {
    const item = input[at]
    if (item === undefined || isRules(item)) continue
    const end = endOfItem(item, at, support)
    if (end !== null && !isOpen) ends.unshift(end)
    if (end !== null) isOpen = true
    else if (item.type !== 'message' || item.role === 'assistant') isOpen = false
  }
  return ends
}

const toBreakpoints = (
  ends: readonly (End | null)[],
  { places }: CacheSupport,
  breakpoint: CacheBreakpoint,
): readonly PlacedBreakpoint[] =>
  ends.flatMap((end) =>
    end === null || !places.has(end.place) ? [] : [{ place: end.place, path: end.path, breakpoint }],
  )

const hasAnswer = ({ input }: Request): boolean =>
  input.some((item) => (item.type === 'message' ? item.role === 'assistant' : true))

/** Whether later requests are likely to have the same beginning: an agent has tools, a conversation has answers. */
export const isRepeated = (request: Request): boolean => request.tools.length > 0 || hasAnswer(request)

/**
 * Returns breakpoints for a client whose own vendor would cache the prompt without any: at the ends of the tools, of
 * the instructions, and of the last two turns. The first of these two is the last one of the request before, so that
 * the upstream finds the prefix that it has stored.
 */
export const automaticBreakpoints = (
  request: Request,
  support: CacheSupport,
  breakpoint: CacheBreakpoint,
): readonly PlacedBreakpoint[] =>
  toBreakpoints(
    [endOfTools(request), endOfRules(request, support), ...endsOfTurns(request, support, 2)],
    support,
    breakpoint,
  )

/** Returns a breakpoint at the end of the prompt, which a client requests for the prompt as a whole. */
export const lastBreakpoint = (
  request: Request,
  support: CacheSupport,
  breakpoint: CacheBreakpoint,
): readonly PlacedBreakpoint[] => toBreakpoints(endsOfTurns(request, support, 1), support, breakpoint)
