import { listToArray } from '../../../collections/list.ts'
import { type Frame, isDone } from '../../../framing/frame.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../protocol/limits.ts'
import { isDeeperThan, isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { AnswerEnd } from '../../passthrough-contract.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import type { TerminalKind } from '../terms.ts'
import {
  commitText,
  type DecoderProgress,
  isCallType,
  listOfPart,
  type PartRun,
  type PartsIn,
  type ReceivedItem,
  type ResponsesState,
} from '../upstream/state.ts'

const DONE: Frame = { event: '', data: '[DONE]' }

/**
 * Ends a stream. A failure repeats what its client has received, which is what the decoder has: under the ids and the
 * indices of the upstream, after the ends of all open parts and items.
 */
export function closeResponse(state: ResponsesState, end: AnswerEnd): readonly Frame[] {
  const { error, last, lastFails } = end
  const ends = last === null ? [DONE] : isDone(last) ? [last] : [last, DONE]
  if (error === null || lastFails) return ends
  return [...numbered(failedEvents(state, error, end), end.sequence), DONE]
}

type ResponseEvent = JsonObject & { readonly type: string }

const numbered = (events: readonly ResponseEvent[], first: number): readonly Frame[] =>
  events.map((event, at) => {
    const { type, ...members } = event
    return { event: type, data: '', value: { type, sequence_number: first + at, ...members } }
  })

type Ending = Exclude<TerminalKind, 'open'>

/** The response as its client has it, for a last event that has none. */
export const receivedResponse = (state: ResponsesState, status: Ending): JsonObject => ({
  object: 'response',
  ...writable(state.progress.created ?? {}),
  status,
  output: receivedOutput(state, status),
})

/** Its items as the client has them. */
export const receivedOutput = (state: ResponsesState, status: Ending): readonly JsonObject[] =>
  outputOf(commitText(state), status === 'completed' ? status : 'incomplete').map(({ item }) => item)

interface OutputItem {
  readonly index: number
  readonly received: ReceivedItem
  readonly item: JsonObject
}

/** `status`: that of items which have not ended. */
const outputOf = ({ items }: DecoderProgress, status: string): readonly OutputItem[] =>
  listToArray(items)
    // A call that has not begun for clients is none.
    .filter(({ item, type }) => item !== null || !isCallType(type))
    .map((received): OutputItem => ({ received, index: received.place, item: itemAsReceived(received, status) }))
    .sort((one, other) => one.index - other.index)

function failedEvents(state: ResponsesState, error: GatewayError, end: AnswerEnd): readonly ResponseEvent[] {
  const progress = commitText(state)
  const { created } = progress
  const output = outputOf(progress, 'incomplete')
  const { code, message, param } = error
  const failed: ResponseEvent = {
    type: 'response.failed',
    response: {
      object: 'response',
      created_at: end.head.created_at,
      model: end.head.model,
      instructions: end.head.echo.instructions,
      tools: end.head.echo.tools,
      ...writable(created ?? {}),
      id: isNonEmptyString(created?.id) ? created.id : end.head.id,
      status: 'failed',
      error: { code, message },
      output: output.map(({ item }) => item),
      usage: null,
    },
  }
  if (end.isReported) return [failed]
  return [
    ...output.flatMap(closingEvents),
    { type: 'error', code, message, param, error: { type: code, code, message, param } },
    failed,
  ]
}

/** An event that is nested too deep could not be written. */
const writable = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => !isDeeperThan(MAX_LENGTHS.nesting, value)))

// ---------------------------------------------------------------- items

/** The items whose beginning is added if the upstream leaves it out. */
export const NEW_ITEMS: Readonly<Record<string, JsonObject>> = {
  message: { role: 'assistant', content: [] },
  reasoning: { summary: [], content: [] },
}

/** An item under the id that its client has seen. */
const withShownId = (item: JsonObject, { id }: ReceivedItem): JsonObject =>
  id === '' ? item : withMember(item, 'id', id)

/**
 * The upstream accepts encrypted content only beside its own id and summary. In a changed item, `encrypted_content` is
 * therefore the item of the upstream, an object, until the edit `sealed reasoning` replaces it by the envelope.
 */
export function withOwn(item: JsonObject, own: JsonObject): JsonObject {
  const isSealed = own.type === 'reasoning' && isNonEmptyString(own.encrypted_content)
  return isSealed && item !== own ? withMember(item, 'encrypted_content', own) : item
}

/** An item as the upstream has it. One in a list at the end may lack the id, and the summary of the same content. */
function ownItem(item: JsonObject, { id, item: ended }: ReceivedItem): JsonObject {
  const named = withMember(item, 'id', [item.id, ended?.id, id].find(isNonEmptyString))
  const isSame = ended !== null && item.encrypted_content === ended.encrypted_content
  const lacksSummary = isSame && toArray(item.summary).length === 0 && toArray(ended.summary).length > 0
  return lacksSummary ? withMember(named, 'summary', ended.summary) : named
}

/**
 * Libraries read the list of an item's parts, which may be empty behind pieces. `received`: null if nothing of it was
 * received before.
 */
export function withLists(item: JsonObject, received: ReceivedItem | null): JsonObject {
  const list = item.type === 'message' ? 'content' : item.type === 'reasoning' ? 'summary' : null
  if (list === null || toArray(item[list]).length > 0) return item
  const parts = received === null ? [] : toArray(itemAsReceived(received, 'completed')[list])
  return parts.length === 0 && Array.isArray(item[list]) ? item : withMember(item, list, parts as Json)
}

/** A whole item, which its client has seen begin; its encrypted content: `withOwn`. */
export const asShown = (item: JsonObject, received: ReceivedItem): JsonObject =>
  withOwn(withShownId(withLists(item, received), received), ownItem(item, received))

/**
 * The item as its client has it; its encrypted content: `withOwn`. Reasoning of a stream that breaks has none before its
 * end: what its beginning has may be incomplete. `open`: the status of an item that has not ended.
 */
export function itemAsReceived(received: ReceivedItem, open: string): JsonObject {
  const { id, type, done } = received
  const all = writable({ id, type, ...received.item })
  const isWhole = done || open === 'completed' || type !== 'reasoning' || !isNonEmptyString(all.encrypted_content)
  const own = isWhole ? all : withMember(all, 'encrypted_content', null)
  const item = withShownId(own, received)
  const { status } = item
  const ended = isNonEmptyString(status) && status !== 'in_progress' ? status : 'completed'
  const named = type === 'reasoning' && status === undefined ? item : { ...item, status: done ? ended : open }
  switch (type) {
    case 'message':
      return { role: 'assistant', ...named, content: partsOf(received, item.content, 'content') }
    case 'reasoning': {
      const summary = partsOf(received, item.summary, 'summary')
      const content = partsOf(received, item.content, 'content')
      return withOwn({ ...named, summary, ...(content.length === 0 ? {} : { content }) }, ownItem(own, received))
    }
    case 'function_call':
      return { call_id: id, name: '', ...named, arguments: textIn(received, item.arguments) }
    case 'custom_tool_call':
      return { call_id: id, name: '', ...named, input: textIn(received, item.input) }
    default:
      return named
  }
}

const runsIn = ({ runs }: ReceivedItem, of: PartsIn): readonly PartRun[] =>
  listToArray(runs).filter((run) => listOfPart(run.of) === of)

const joined = (runs: readonly PartRun[]): string => runs.map(({ text }) => text).join('')

/** The parts of the done item, unless its client has received more than these. */
function partsOf(received: ReceivedItem, found: Json | undefined, of: PartsIn): readonly Json[] {
  const runs = runsIn(received, of)
  const given = isNonEmptyString(found) ? [found] : (toArray(found) as readonly Json[])
  const pieces = joined(runs)
  const whole = given.map(textOf).join('')
  if (received.done && (pieces === whole || !pieces.includes(whole))) return given.map((part) => partFrom(part, of))
  return runs.map(partOf)
}

const textOf = (part: Json): string => {
  if (!isObject(part)) return isNonEmptyString(part) ? part : ''
  const text = part.text ?? part.refusal ?? part.transcript
  return isNonEmptyString(text) ? text : ''
}

/** A plain string stands for a part. */
const partFrom = (part: Json, of: PartsIn): Json =>
  typeof part === 'string' ? (of === 'summary' ? { type: 'summary_text', text: part } : textPart(part)) : part

const textPart = (text: string, annotations: readonly Json[] = []): JsonObject => ({
  type: 'output_text',
  text,
  annotations: annotations.filter((one) => !isDeeperThan(MAX_LENGTHS.nesting, one)),
  logprobs: [],
})

function partOf({ of, text, annotations }: PartRun): JsonObject {
  switch (of) {
    case 'refusal':
      return { type: 'refusal', refusal: text }
    case 'reasoning':
      return { type: 'reasoning_text', text }
    case 'summary':
      return { type: 'summary_text', text }
    default:
      return textPart(text, listToArray(annotations))
  }
}

/** The arguments of a call: what its client has received, or more of them in the done item. */
function textIn(received: ReceivedItem, found: Json | undefined): string {
  const pieces = joined(listToArray(received.runs))
  return received.done && isNonEmptyString(found) ? found : pieces
}

// ---------------------------------------------------------------- ends of open items

/** Whether clients have seen an item begin. That of an item with text is added if the upstream leaves it out. */
const isShown = ({ item, id, type, runs }: ReceivedItem): boolean =>
  item !== null || (id !== '' && runs.length > 0 && lookup(NEW_ITEMS, type) !== undefined)

/** The ends of an item that its client has seen begin. */
function closingEvents({ index, received, item }: OutputItem): readonly ResponseEvent[] {
  if (received.done || !isShown(received)) return []
  const address = { output_index: index, item_id: String(item.id) }
  const ended = new Set<string>()
  const parts = listToArray(received.runs).flatMap((run) => {
    const list = listOfPart(run.of)
    const name = `${list} ${run.place}`
    // More of a part that has ended has no end of its own.
    if (run.done || ended.has(name)) {
      ended.add(name)
      return []
    }
    return partEvents(run, { ...address, [`${list}_index`]: run.place })
  })
  return [
    ...parts,
    ...argumentEvents(received, item, address),
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

const TEXT_DONE = {
  text: ['response.output_text.done', 'text'],
  refusal: ['response.refusal.done', 'refusal'],
  reasoning: ['response.reasoning_text.done', 'text'],
  summary: ['response.reasoning_summary_text.done', 'text'],
} as const

function partEvents(run: PartRun, place: JsonObject): readonly ResponseEvent[] {
  const { of, text, whole } = run
  if (of === 'function_call' || of === 'custom_tool_call') return []
  const [type, field] = TEXT_DONE[of]
  const done = of === 'summary' ? 'response.reasoning_summary_part.done' : 'response.content_part.done'
  const logprobs = of === 'text' ? { logprobs: [] } : {}
  return [
    ...(whole ? [] : [{ type, ...place, [field]: text, ...logprobs }]),
    { type: done, ...place, part: partOf(run) },
  ]
}

function argumentEvents({ type, runs }: ReceivedItem, item: JsonRecord, address: JsonObject): readonly ResponseEvent[] {
  if (listToArray(runs).some(({ whole }) => whole)) return []
  if (type === 'function_call')
    return [
      {
        type: 'response.function_call_arguments.done',
        ...address,
        name: String(item.name),
        arguments: String(item.arguments),
      },
    ]
  return type === 'custom_tool_call'
    ? [{ type: 'response.custom_tool_call_input.done', ...address, input: String(item.input) }]
    : []
}
