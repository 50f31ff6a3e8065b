import { CONTINUES_NOT, dropped, EMPTY_MESSAGE, type Loss, mapped, SENT_AS_USER } from '../../protocol/loss.ts'
import type { AssistantPart, InputItem, Request } from '../../protocol/request.ts'
import { shapeOf } from '../../wires/body-contract.ts'
import { RESPONSES_WIRE } from '../../wires/contract.ts'
import { rulesOf } from '../../wires/shared/google/requests.ts'
import type { AssistantInput, PromptInput } from '../../wires/shared/upstream/conversation.ts'
import {
  isAnswer,
  isPrompt,
  isSystem,
  isToolCall,
  isToolOutput,
  type Placed,
  type PlacedItems,
  placed,
  withConversation,
} from './items.ts'
import { type Facts, fitting, type RequestRule } from './rule.ts'

// ---------------------------------------------------------------- system messages

/** Where system messages go that an upstream does not take where they are. */
interface SystemPlaces {
  /** The last message must be one of the user. */
  readonly endsWithUser: boolean
  /** Where a system message after the beginning of the conversation goes; null if the wire decides. */
  readonly late: 'user' | null
}

function systemPlaces({ wire, quirks, model }: Facts): SystemPlaces {
  const { name, lateSystem: late } = wire
  const { lateSystem: style, strictTurns, rawPredict, needsUser } = quirks
  const { lastRole = 'any', lateSystem, oneSystem } = model
  // Caches and the signatures of reasoning are valid only after the same system prompt.
  const keepsPrefix = (late === 'user' || rawPredict === true) && lateSystem !== true
  return {
    endsWithUser:
      late !== undefined ||
      oneSystem === true ||
      style !== undefined ||
      strictTurns === true ||
      needsUser === true ||
      model.needsUser === true ||
      lastRole !== 'any',
    late: keepsPrefix || (name === RESPONSES_WIRE && oneSystem === true) ? 'user' : null,
  }
}

function asUser({ item, at }: Placed, losses: Loss[]): Placed {
  losses.push(mapped(`input[${at}]`, SENT_AS_USER))
  return { at, item: { ...(item as PromptInput), role: 'user' } }
}

/**
 * System messages at the end, after an answer, ask for the next one, and so do those that an upstream cannot place. Of
 * system messages alone, the last one is the question.
 */
function withUserRules(given: PlacedItems, { endsWithUser, late }: SystemPlaces, losses: Loss[]): PlacedItems {
  const first = given.findIndex(({ item }) => !isSystem(item))
  if (first < 0)
    return given.map((placed, at) => (endsWithUser && at === given.length - 1 ? asUser(placed, losses) : placed))
  const last = given.findLastIndex(({ item }) => !isSystem(item))
  const isTrailing = endsWithUser && isAnswer((given[last] as Placed).item)
  return given.map((placed, index) => {
    if (index < first || !isSystem(placed.item)) return placed
    return late === 'user' || (isTrailing && index > last) ? asUser(placed, losses) : placed
  })
}

/** Whether no system message follows another message. */
const beginsWithRules = (input: readonly InputItem[]): boolean =>
  input.findLastIndex(isSystem) <= input.findIndex((item) => !isSystem(item))

const hasOneSystem = ({ wire, model }: Facts): boolean => wire.name === RESPONSES_WIRE && model.oneSystem === true

export const lateSystem: RequestRule = {
  name: 'late system messages',
  subject: 'system',
  when: (facts) => {
    const { endsWithUser, late } = systemPlaces(facts)
    return !hasOneSystem(facts) && (endsWithUser || late !== null)
  },
  mend(request, facts) {
    if (beginsWithRules(request.input) && !request.input.every(isSystem)) return fitting(request)
    const losses: Loss[] = []
    const items = withUserRules(placed(request), systemPlaces(facts), losses)
    return losses.length === 0 ? fitting(request) : withConversation(request, items, losses)
  },
}

/**
 * The system messages at the beginning as instructions: `instructions` is a system message itself. The last one stays as
 * a message of the user if the conversation has no other message.
 */
function withInstructions(
  request: Request,
  given: PlacedItems,
  losses: Loss[],
): { request: Request; rest: PlacedItems } {
  const first = given.findIndex(({ item }) => !isSystem(item))
  const end = first < 0 ? Math.max(given.length - 1, 0) : first
  const rules = rulesOf({ ...request, input: given.slice(0, end).map(({ item }) => item) })
  losses.push(...rules.losses)
  return {
    request: { ...request, instructions: rules.texts.length === 0 ? null : rules.texts.join('\n\n') },
    rest: given.slice(end).map((placed) => (first < 0 ? asUser(placed, losses) : placed)),
  }
}

/** `instructions` and the system messages at the beginning are one message; later ones are messages of the user. */
export const oneSystem: RequestRule = {
  name: 'one system message',
  subject: 'system',
  when: hasOneSystem,
  mend(request, facts) {
    if (!request.input.some(isSystem)) return fitting(request)
    const losses: Loss[] = []
    const items = withUserRules(placed(request), systemPlaces(facts), losses)
    const moved = withInstructions(request, items, losses)
    return withConversation(moved.request, moved.rest, losses)
  },
}

// ---------------------------------------------------------------- the last message

const isBlank = (part: AssistantPart): boolean => part.type === 'output_text' && part.text.trim() === ''

/**
 * White space at the end of an answer that the model continues is refused by some vendors, and has no meaning. An answer
 * of nothing else is dropped with its reasoning, and the one before it is the last.
 */
function withTrimmedEnd(given: PlacedItems, losses: Loss[]): PlacedItems {
  let end = given.length
  let isEmpty = false
  for (; end > 0; end -= 1) {
    const { item, at } = given[end - 1] as Placed
    if (isAnswer(item)) isEmpty = item.content.every(isBlank)
    else isEmpty &&= item.type === 'reasoning'
    if (!isEmpty) break
    losses.push(dropped(`input[${at}]`, EMPTY_MESSAGE))
  }
  const last = given[end - 1]
  if (last === undefined || !isAnswer(last.item)) return given.slice(0, end)
  const content = last.item.content.slice(0, last.item.content.findLastIndex((part) => !isBlank(part)) + 1)
  const part = content.pop()
  if (part !== undefined) content.push(part.type === 'output_text' ? { ...part, text: part.text.trimEnd() } : part)
  return [...given.slice(0, end - 1), { ...last, item: { ...last.item, content } }]
}

const GO_ON = 'Continue your last message exactly where it ends, without a repetition and without a comment.'

/** A message of the user at the end that asks for the rest of the last answer. */
export const goOn: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: GO_ON }] }

/** An item of the model at the end: reasoning stands in the message of the answer before it. */
const isOfModel = (item: InputItem): boolean => isAnswer(item) || item.type === 'reasoning'

function withLastUser(given: PlacedItems, losses: Loss[]): PlacedItems {
  const last = given.at(-1)
  if (last === undefined || !isOfModel(last.item)) return given
  const answer = given.findLast(({ item }) => isAnswer(item)) ?? last
  losses.push(mapped(`input[${answer.at}]`, CONTINUES_NOT))
  return [...given, { at: null, item: goOn }]
}

/**
 * The conversation without outputs at its end that belong to an earlier answer: wires place them behind their calls, so
 * that the answer before them is the last message.
 */
function withoutLateEnd(given: PlacedItems): PlacedItems {
  const end = given.findLastIndex(({ item }) => !isToolOutput(item)) + 1
  const last = given[end - 1]
  if (end === given.length || last === undefined || !isOfModel(last.item)) return given
  const before = given.slice(0, end)
  const start = before.findLastIndex(({ item }) => isPrompt(item) || isToolOutput(item)) + 1
  const own = new Set(before.slice(start).flatMap(({ item }) => (isToolCall(item) ? [item.call_id] : [])))
  const late = given.slice(end)
  if (late.some(({ item }) => isToolOutput(item) && own.has(item.call_id))) return given
  return [...given.slice(0, start), ...late, ...given.slice(start, end)]
}

/** The message of the user in the place of an empty one, which asks for more. */
const CONTINUE = 'Continue.'

const isBlankPrompt = (item: InputItem): boolean =>
  item.type === 'message' &&
  item.role === 'user' &&
  item.content.every((part) => part.type === 'input_text' && part.text.trim() === '')

/** A run of empty messages of the user, from `begin` up to `end`. */
interface EmptyRun {
  readonly begin: number
  readonly end: number
}

/** The runs of empty messages that are all between an answer and the next one, or the end. O(n). */
function emptyRuns(input: readonly InputItem[]): readonly EmptyRun[] {
  const runs: EmptyRun[] = []
  for (let begin = 0; begin < input.length; begin += 1) {
    let end = begin
    while (end < input.length && isBlankPrompt(input[end] as InputItem)) end += 1
    if (end === begin) continue
    const [before, after] = [input[begin - 1], input[end]]
    if (before !== undefined && isAnswer(before) && (after === undefined || !isPrompt(after))) runs.push({ begin, end })
    begin = end
  }
  return runs
}

/**
 * Empty messages of the user are left out by several upstreams and refused by others: at the end of a conversation, the
 * answer before them would be the last message, which the model continues. Later requests begin with the same text, so
 * that caches keep it.
 */
export const emptyPrompts: RequestRule = {
  name: 'empty messages behind an answer',
  subject: 'answers',
  // OpenAI accepts empty messages.
  when: ({ quirks }) => quirks.openaiModels !== true,
  mend(request) {
    const runs = emptyRuns(request.input)
    if (runs.length === 0) return fitting(request)
    const losses: Loss[] = []
    const item: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: CONTINUE }] }
    const ends = new Map(runs.map(({ begin, end }) => [begin, end]))
    let rest = 0
    const items = placed(request).flatMap((one, at): PlacedItems => {
      const end = ends.get(at)
      if (end !== undefined) {
        rest = end
        losses.push(mapped(`input[${at}]`, `the message is empty: sent as "${CONTINUE}"`))
        return [{ at, item }]
      }
      if (at >= rest) return [one]
      losses.push(dropped(`input[${at}]`, EMPTY_MESSAGE))
      return []
    })
    return withConversation(request, items, losses)
  },
}

/**
 * The first message of the user in a conversation of calls and their outputs alone, as a trimmed history has it. Later
 * requests begin with the same text, so that caches keep it.
 */
export const userMessage: RequestRule = {
  name: 'message of the user',
  subject: 'turns',
  when: ({ quirks, model }) => quirks.needsUser === true || model.needsUser === true,
  mend(request) {
    const { input } = request
    if (input.some((item) => isPrompt(item) && !isSystem(item) && !isBlankPrompt(item))) return fitting(request)
    const first = input.findIndex((item) => !isSystem(item))
    const item: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: CONTINUE }] }
    const items = placed(request).toSpliced(first, 0, { at: null, item })
    return withConversation(request, items, [
      mapped(`input[${first}]`, `sent after a message of the user, "${CONTINUE}"`),
    ])
  },
}

/** Claude refuses white space at the end of an answer that it continues; other upstreams read it as text. */
const trimsEnd = ({ isOwn, model }: Facts): boolean => !isOwn || model.family === 'claude'

/** The end of a conversation that the upstream continues. */
export const lastMessage: RequestRule = {
  name: 'last message',
  mend(request, facts) {
    const end = request.input.at(-1)
    if (end === undefined || isPrompt(end) || isToolCall(end)) return fitting(request)
    const isPlaced = isToolOutput(end) && shapeOf(facts.wire).keepsOrder !== true
    const items = isPlaced ? withoutLateEnd(placed(request)) : placed(request)
    const last = items.at(-1)?.item
    if (last === undefined || !isOfModel(last)) return fitting(request)
    const noPrefill = facts.model.lastRole === 'user'
    if (!noPrefill && (!trimsEnd(facts) || !isAnswer(last) || !hasBlankEnd(last))) return fitting(request)
    const losses: Loss[] = []
    const trimmed = withTrimmedEnd(items, losses)
    return withConversation(request, noPrefill ? withLastUser(trimmed, losses) : trimmed, losses)
  },
}

const hasBlankEnd = ({ content }: AssistantInput): boolean => {
  const part = content.at(-1)
  return part === undefined || (part.type === 'output_text' && part.text !== part.text.trimEnd())
}
