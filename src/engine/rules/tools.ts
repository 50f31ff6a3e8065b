import type { ModelFacts } from '../../models/facts.ts'
import { dropped, type Loss, mapped, NO_SUCH_TOOL } from '../../protocol/loss.ts'
import { addedTools, type Request, type Tool } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import { splitsPair } from '../../text/offsets.ts'
import { isToolCall } from './items.ts'
import { EFFORT, type Facts, type Fitted, fitting, isReasoningOn, type RequestRule, withEffort } from './rule.ts'

type Forced = NonNullable<ModelFacts['forcedTools']>

const CHOICE = 'tool_choice'

/** Whether a choice of this form is among those that a model accepts. */
const accepts = (forced: Forced | undefined, form: 'required' | 'named'): boolean =>
  forced === undefined || forced === 'all' || forced === form

const withSentence = (request: Request, text: string): Request => ({
  ...request,
  input: [...request.input, { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
})

/** The end of the conversation has the sentence: before it, it would change the prefix that caches and signatures have. */
function asSentence(request: Request, why: string): Fitted {
  const { tool_choice: choice } = request
  const text = typeof choice === 'object' && choice !== null ? `Call the tool ${choice.name} now.` : 'Call a tool now.'
  const loss = mapped(CHOICE, `${why}: sent as auto, with the sentence "${text}" at the end of the input`)
  return fitting(withSentence({ ...request, tool_choice: 'auto' }, text), loss)
}

/** A single function is forced by either form. */
function otherForm(request: Request, forced: Forced | undefined): Request | null {
  const { tool_choice: choice, tools } = request
  const [only, ...others] = tools
  if (only === undefined || others.length > 0 || only.type === 'hosted') return null
  if (choice === 'required') {
    return accepts(forced, 'named') ? { ...request, tool_choice: { type: only.type, name: only.name } } : null
  }
  const isIt = choice !== null && typeof choice === 'object' && choice.name === only.name
  return isIt && accepts(forced, 'required') ? { ...request, tool_choice: 'required' } : null
}

/**
 * A call is forced only in a form that the model accepts. Claude reasons less for it; another model that reasons only
 * because nothing turns it off does not reason, and one that the client made reason receives a sentence.
 */
function fitForcedTools(request: Request, facts: Facts): Fitted {
  const { model } = facts
  const { tool_choice: choice } = request
  if (choice === null || choice === 'auto' || choice === 'none' || request.tools.length === 0) return fitting(request)
  const form = choice === 'required' ? 'required' : 'named'
  const { family, reasons, forcedTools, forcedWhileReasoning } = model
  if (!accepts(forcedTools, form)) {
    const other = otherForm(request, forcedTools)
    return other === null ? asSentence(request, 'this model cannot be forced to call it') : fitForcedTools(other, facts)
  }
  if (accepts(forcedWhileReasoning, form) || !isReasoningOn(request, model)) return fitting(request)
  const other = otherForm(request, forcedWhileReasoning)
  if (other !== null) return fitting(other)
  const why = 'this model does not support reasoning together with a forced tool call'
  const isRequested = (request.reasoning?.effort ?? null) !== null
  if (reasons === 'optional' && (family === 'claude' || !isRequested)) {
    const loss = isRequested ? dropped(EFFORT, why) : mapped(EFFORT, `${why}: turned off`)
    return fitting(withEffort(request, 'none'), loss)
  }
  return asSentence(request, why)
}

/** The first units of a text, without half of a character. */
const cut = (text: string, most: number): string =>
  `${text.slice(0, splitsPair(text, most - 1) ? most - 2 : most - 1)}…`

/** "Invalid 'tools[0].function.description': string too long": OpenAI until May 2025, and servers that follow it. */
export const toolDescriptions: RequestRule = {
  name: 'descriptions of tools',
  subject: 'tools',
  when: ({ quirks }) => quirks.longestDescription !== undefined,
  mend(request, { quirks: { longestDescription: most = Number.POSITIVE_INFINITY } }) {
    const losses: Loss[] = []
    const tools = request.tools.map((tool, at): Tool => {
      if (tool.type === 'hosted' || (tool.description?.length ?? 0) <= most) return tool
      losses.push(mapped(`tools[${at}].description`, `cut to ${most} characters, the most that this upstream accepts`))
      return { ...tool, description: cut(tool.description ?? '', most) }
    })
    return losses.length === 0 ? fitting(request) : fitting({ ...request, tools }, ...losses)
  },
}

/** Whether the model may call a function of the client in this request. */
export const hasFunctions = ({ tools, tool_choice }: Request): boolean =>
  tool_choice !== 'none' && tools.some(({ type }) => type !== 'hosted')

/** Some models call functions in Chat Completions only without reasoning. */
function fitChatTools(request: Request, { model: { chatTools } }: Facts): Fitted {
  if (!hasFunctions(request)) return fitting(request)
  const effort = request.reasoning?.effort ?? null
  const why = 'this model calls functions in Chat Completions only without it; the Responses API has both'
  if (chatTools === 'without-effort' && effort !== null && effort !== 'none')
    return fitting(withEffort(request, null), dropped(EFFORT, why))
  if (chatTools === 'with-none' && effort !== 'none')
    return fitting(withEffort(request, 'none'), mapped(EFFORT, `sent as none: ${why}`))
  return fitting(request)
}

export const forcedTools: RequestRule = {
  name: 'forced tools',
  subject: 'tools',
  when: ({ model }) =>
    !accepts(model.forcedTools, 'required') ||
    !accepts(model.forcedTools, 'named') ||
    !accepts(model.forcedWhileReasoning, 'required') ||
    !accepts(model.forcedWhileReasoning, 'named'),
  mend: fitForcedTools,
}

export const chatTools: RequestRule = {
  name: 'functions in Chat Completions',
  subject: 'tools',
  when: ({ wire, model: { chatTools: limit } }) =>
    wire.chatLimits === true && (limit === 'without-effort' || limit === 'with-none'),
  mend: fitChatTools,
}

export const parallelCalls: RequestRule = {
  name: 'parallel calls',
  when: ({ wire, model }) => wire.chatLimits === true && model.parallelCalls === false,
  mend(request) {
    const { parallel_tool_calls: asked } = request
    if (asked === null) return fitting(request)
    const loss = dropped('parallel_tool_calls', 'this model does not support it')
    return fitting({ ...request, parallel_tool_calls: null }, ...(asked ? [] : [loss]))
  },
}

/** The request with the tools at these places. `why`: the reason for the loss of the others. */
export function keepTools(request: Request, places: readonly number[], why: string): Fitted {
  const { tools } = request
  if (places.length === tools.length) return fitting(request)
  const kept = new Set(places)
  return {
    request: { ...request, tools: places.flatMap((at) => tools[at] ?? []) },
    losses: [...tools.keys()].flatMap((at) => (kept.has(at) ? [] : [dropped(`tools[${at}]`, why)])),
    toEarlier: movedEntries({ tools: places }),
  }
}

/** "The requested tool image_generation is not supported": clients such as Codex send it to every upstream. */
export const serverTools: RequestRule = {
  name: 'server tools',
  subject: 'tools',
  when: ({ quirks }) => quirks.refusesTools !== undefined,
  mend(request, { quirks: { refusesTools: refused = [] } }) {
    const { tools, tool_choice: choice } = request
    const isRefused = ({ type, name }: { readonly type: string; readonly name: string }): boolean =>
      type === 'hosted' && refused.includes(name)
    const places = [...tools.keys()].filter((at) => !isRefused(tools[at] ?? NO_TOOL))
    const isChosen = typeof choice === 'object' && choice !== null && isRefused(choice)
    return keepTools(isChosen ? { ...request, tool_choice: null } : request, places, NO_SUCH_TOOL)
  },
}

const NO_TOOL = { type: '', name: '' } as const

// ---------------------------------------------------------------- number of tools

/** The names that a request needs: of the forced tool, and of tools that were called before. */
function neededNames({ input, tool_choice: choice }: Request): ReadonlySet<string> {
  const called = input.flatMap((item) => (isToolCall(item) ? [item.name] : []))
  return new Set(typeof choice === 'object' && choice !== null ? [choice.name, ...called] : called)
}

/** "Invalid 'tools': array too long." Those that were called stay, and then the first ones. */
export const toolCount: RequestRule = {
  name: 'number of tools',
  subject: 'tools',
  when: ({ quirks }) => quirks.mostTools !== undefined,
  mend(request, { quirks: { mostTools: most = Number.POSITIVE_INFINITY } }) {
    const { tools } = request
    if (tools.length <= most) return fitting(request)
    const needed = neededNames(request)
    const places = [...tools.keys()]
    const first = places.filter((at) => needed.has(tools[at]?.name ?? ''))
    const others = places.filter((at) => !needed.has(tools[at]?.name ?? ''))
    const kept = [...first, ...others].slice(0, most).sort((one, other) => one - other)
    return keepTools(request, kept, `this upstream accepts at most ${most} tools`)
  },
}

// ---------------------------------------------------------------- tools of one name

/** Of several tools with one name, a call could mean any. Tools that items of the input add stay in their items. */
export const distinctTools: RequestRule = {
  name: 'tools of one name',
  subject: 'tools',
  mend(request) {
    const { tools } = request
    if (new Set(tools.map(({ name }) => name)).size === tools.length) return fitting(request)
    const added = new Set(addedTools(request.input).flatMap((item) => item.tools))
    const seen = new Set<string>()
    const places = tools.flatMap((tool, at) => {
      if (tool.type === 'hosted' || added.has(tool)) return [at]
      const isRepeated = seen.has(tool.name)
      seen.add(tool.name)
      return isRepeated ? [] : [at]
    })
    return keepTools(request, places, 'another tool has the same name')
  },
}
