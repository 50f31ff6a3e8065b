import type { ModelFacts } from '../../../models/facts.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped, SENT_AS_FUNCTION_CALL } from '../../../protocol/loss.ts'
import type { Cacheable, InputPart, Request } from '../../../protocol/request.ts'
import { isNonEmptyString, isObject, parseJson } from '../../../text/json.ts'
import { mapSteps, type Steps } from '../../../text/steps.ts'
import type { UpstreamContext } from '../../contract.ts'
import { fromItems, type Origins } from '../../origins.ts'
import { cacheControlOf } from '../../shared/upstream/cache/cache-control.ts'
import { instructionTexts } from '../../shared/upstream/cache/instruction-texts.ts'
import {
  type AssistantInput,
  type AssistantTurn,
  argumentLosses,
  type CallInput,
  type LocatedInput,
  type OutputInput,
  type PromptInput,
  type ReasoningInput,
  textsBeforeCalls,
  toTurns,
} from '../../shared/upstream/conversation.ts'
import { emptyMessages, PART_NAMES } from '../../shared/upstream/history-text.ts'
import { isSignature } from '../../shared/upstream/signature.ts'
import { toToolUseCallId } from '../call-ids.ts'
import { unseal, withSeals } from '../encrypted-blocks.ts'
import type { AnswerBlock, Message, PromptBlock, TextBlock, ToolResult } from '../json.ts'
import { encodePart } from './parts.ts'
import { type Entry, toMessages } from './turns.ts'

/** Blocks or messages, and the losses of what could not be put into them. */
interface Encoded<T> {
  readonly out: readonly T[]
  readonly losses: readonly Loss[]
}

export interface EncodedConversation {
  readonly system: readonly TextBlock[]
  readonly messages: readonly Message[]
  readonly losses: readonly Loss[]
}

const none = <T>(losses: readonly Loss[] = []): Encoded<T> => ({ out: [], losses })

function join<T>(all: readonly Encoded<T>[]): Encoded<T> {
  const [first = none<T>(), ...others] = all
  if (others.length === 0) return first
  return { out: all.flatMap(({ out }) => out), losses: all.flatMap(({ losses }) => losses) }
}

/** Anthropic rejects a text of only white space with HTTP 400. */
const isAnswerBlock = (text: string): boolean => text.trim() !== ''

const textBlock = (text: string, one: Cacheable = {}): TextBlock => ({ type: 'text', text, ...cacheControlOf(one) })

// ---------------------------------------------------------------- prompts

const detailLoss = (part: InputPart, path: string): readonly Loss[] =>
  part.type === 'input_image' && part.detail !== null && part.detail !== 'auto'
    ? [dropped(`${path}.detail`, 'this upstream has no such setting for images')]
    : []

const emptyLosses = ({ prompt_cache_breakpoint: breakpoint }: InputPart, path: string): readonly Loss[] =>
  breakpoint ? [dropped(`${path}.prompt_cache_breakpoint`, 'this upstream does not accept an empty text')] : []

/** A note replaces a part that cannot be carried, so that the model does not guess. */
function encodePrompt(part: InputPart, path: string, origins: Origins | undefined): Encoded<PromptBlock> {
  if (part.type === 'input_text' && !isAnswerBlock(part.text)) return none(emptyLosses(part, path))
  const result = encodePart(part)
  const block =
    part.type === 'input_text'
      ? textBlock(part.text, part)
      : 'block' in result
        ? { ...result.block, ...cacheControlOf(part) }
        : textBlock(`[${PART_NAMES[part.type]}: it could not be passed on]`, part)
  origins?.add(block, path)
  return { out: [block], losses: 'block' in result ? detailLoss(part, path) : [dropped(path, result.loss)] }
}

const encodePrompts = (parts: readonly InputPart[], path: string, origins?: Origins): Encoded<PromptBlock> =>
  join(parts.map((part, i) => encodePrompt(part, `${path}[${i}]`, origins)))

function encodeUser({ at, item }: LocatedInput<PromptInput>, origins: Origins | undefined): Encoded<Entry> {
  const { out, losses } = encodePrompts(item.content, `input[${at}].content`, origins)
  if (out.length > 0) return { out: [{ role: 'user', content: out }], losses }
  return none([dropped(`input[${at}]`, 'this upstream does not accept empty messages')])
}

// ---------------------------------------------------------------- system and developer messages

function encodeRules({ at, item }: LocatedInput<PromptInput>, origins: Origins | undefined): Encoded<TextBlock> {
  const path = `input[${at}]`
  const texts = item.content.flatMap((part, i) => {
    if (part.type !== 'input_text' || !isAnswerBlock(part.text)) return []
    const block = textBlock(part.text, part)
    origins?.add(block, `${path}.content[${i}]`)
    return [block]
  })
  const others = item.content.some(({ type }) => type !== 'input_text')
  return {
    out: texts,
    losses: others ? [dropped(`${path}.content`, `this upstream accepts only text in a ${item.role} message`)] : [],
  }
}

// ---------------------------------------------------------------- assistant messages

/** Properties of the request that determine whether encrypted items can be sent back. */
interface Frame {
  readonly open: UpstreamContext['open']
  readonly hasTools: boolean
  /** The model reads the blocks of Anthropic's own service; models of other makers do not. */
  readonly isClaude: boolean
  /** Whether the request has a toolset of that name. */
  readonly hasToolset: (name: string) => boolean
  /** The index of the last item. */
  readonly last: number
  readonly origins: Origins | undefined
}

/**
 * Only reasoning that this same upstream issued can be sent back: Anthropic does not accept its text without a
 * signature.
 */
function encodeReasoningItem(
  { at, item }: LocatedInput<ReasoningInput>,
  { open, hasTools, isClaude, last }: Frame,
): Encoded<AnswerBlock> {
  const path = `input[${at}]`
  if (item.encrypted_content === null) return none([dropped(path, NO_SIGNATURE)])
  const found = unseal(open(item.encrypted_content), at === last, hasTools)
  if ('loss' in found) return none([dropped(path, found.loss)])
  const read = isClaude ? found.blocks.filter(isClaudeBlock) : found.blocks.flatMap(asUsual)
  const why = isClaude ? NO_SIGNATURE : 'only Claude reads such a block'
  return { out: read, losses: read.length < found.blocks.length ? [dropped(path, why)] : [] }
}

const NO_SIGNATURE = 'this upstream accepts only signed reasoning'

const isClaudeBlock = (block: AnswerBlock): boolean =>
  block.type !== 'thinking' || (typeof block.signature === 'string' && isSignature(block.signature))

/** A block that a model of another maker reads. The summary of a compaction is a text. */
const asUsual = (block: AnswerBlock): readonly AnswerBlock[] => {
  if (block.type === 'thinking') return [block]
  return block.type === 'compaction' && isNonEmptyString(block.content) ? [textBlock(block.content)] : []
}

const encodeAssistant = ({ at, item }: LocatedInput<AssistantInput>, { origins }: Frame): Encoded<AnswerBlock> => ({
  out: item.content
    .map((part, i) => {
      const block = textBlock(part.type === 'refusal' ? part.refusal : part.text, part)
      origins?.add(block, `input[${at}].content[${i}]`)
      return block
    })
    .filter(({ text }) => isAnswerBlock(text)),
  losses: [],
})

/** A tool of a toolset has a name of its own; tools of a client's namespaces have their joined names. */
const namesOf = ({ name, qualified }: CallInput, { hasToolset }: Frame) =>
  qualified !== undefined && hasToolset(qualified.namespace)
    ? { name: qualified.name, toolset_name: qualified.namespace }
    : { name }

function encodeCall({ at, item }: LocatedInput<CallInput>, frame: Frame): Encoded<AnswerBlock> {
  const use = (input: JsonObject): AnswerBlock => {
    const id = toToolUseCallId(item.call_id)
    return { type: 'tool_use', id, ...namesOf(item, frame), input, ...cacheControlOf(item) }
  }
  if (item.type === 'custom_tool_call') {
    const loss = mapped(`input[${at}]`, SENT_AS_FUNCTION_CALL)
    return { out: [use({ input: item.input })], losses: [loss] }
  }
  const input = item.arguments.trim() === '' ? {} : parseJson(item.arguments)
  if (isObject(input)) return { out: [use(input as JsonObject)], losses: argumentLosses(item.arguments, at) }
  const loss = mapped(`input[${at}].arguments`, 'not a JSON object: sent as the argument "input"')
  return { out: [use({ input: item.arguments })], losses: [loss] }
}

/** "content cannot be empty if `is_error` is true". */
const SILENT_FAILURE = 'The tool failed without a message.'

function encodeOutput({ at, item }: LocatedInput<OutputInput>, origins: Origins | undefined): Encoded<ToolResult> {
  const { out, losses } = encodePrompts(item.output, `input[${at}].output`, origins)
  const failed = item.type === 'function_call_output' && item.failed === true
  const id = toToolUseCallId(item.call_id)
  const isSilent = failed && out.length === 0
  const shown = isSilent ? [textBlock(SILENT_FAILURE)] : out
  const [first] = shown
  const content = shown.length === 1 && first?.type === 'text' ? first.text : shown
  const block: ToolResult = {
    type: 'tool_result',
    tool_use_id: id,
    ...(failed ? { is_error: failed } : {}),
    ...(first === undefined ? {} : { content }),
    ...cacheControlOf(item),
  }
  const added = mapped(`input[${at}]`, 'the failure has no text: sent with one that says so')
  return { out: [fromItems(block, origins, { at })], losses: isSilent ? [...losses, added] : losses }
}

/** Records that blocks are made of a whole item. */
function ofItem(
  { at }: { readonly at: number },
  encoded: Encoded<AnswerBlock>,
  { origins }: Frame,
): Encoded<AnswerBlock> {
  for (const block of encoded.out) fromItems(block, origins, { at })
  return encoded
}

/** Encodes one answer in the order of its items, which keeps reasoning before the calls that it led to. */
function encodeAnswer(turn: AssistantTurn, frame: Frame): Encoded<AnswerBlock> {
  const placed = ({ at }: { readonly at: number }, { out: blocks, losses }: Encoded<AnswerBlock>) => ({
    at,
    blocks,
    losses,
  })
  const all = [
    ...turn.reasoning.map((it) => placed(it, ofItem(it, encodeReasoningItem(it, frame), frame))),
    ...turn.messages.map((it) => placed(it, encodeAssistant(it, frame))),
    ...turn.calls.map((it) => placed(it, ofItem(it, encodeCall(it, frame), frame))),
  ]
  const { entries, losses } = textsBeforeCalls(all, frame.isClaude ? turn : { ...turn, messages: [] })
  return {
    out: entries.flatMap(({ blocks }) => blocks),
    losses: [...entries.flatMap((entry) => entry.losses), ...losses],
  }
}

function encodeTurn(turn: AssistantTurn, frame: Frame): Encoded<Entry> {
  const answer = encodeAnswer(turn, frame)
  const results = join(turn.outputs.map((output) => encodeOutput(output, frame.origins)))
  const messages: readonly Entry[] = [
    { role: 'assistant', content: answer.out },
    { role: 'user', content: results.out },
  ]
  return {
    out: messages.filter(({ content }) => content.length > 0),
    losses: [...answer.losses, ...(answer.out.length === 0 ? emptyMessages(turn) : []), ...results.losses],
  }
}

// ---------------------------------------------------------------- conversation

/** Encodes a system message inside the conversation; nothing if it is empty. */
function encodeLateRules(turn: LocatedInput<PromptInput>, origins: Origins | undefined): Encoded<Entry> {
  const { out, losses } = encodeRules(turn, origins)
  return out.length === 0
    ? none(losses)
    : { out: [{ role: 'system', content: out, path: `input[${turn.at}]` }], losses }
}

/** Encodes instructions, system items and messages (docs/wires/anthropic-messages.md, 9.3). */
export function* encodeConversation(
  request: Request,
  { open, origins }: UpstreamContext,
  { lateSystem, family = 'claude' }: Pick<ModelFacts, 'lateSystem' | 'family'>,
): Steps<EncodedConversation> {
  const { tools } = request
  const input = withSeals(request.input)
  const types = tools.flatMap((tool) => (tool.type === 'hosted' ? [tool.name] : []))
  const hasToolset = (name: string): boolean => types.some((type) => type.startsWith(`${name}_toolset_`))
  const isClaude = family === 'claude'
  const frame: Frame = { open, hasTools: tools.length > 0, isClaude, hasToolset, last: input.length - 1, origins }
  const turns = toTurns(input)
  const start = turns.findIndex((turn) => turn.kind !== 'prompt' || turn.item.role === 'user')
  const early = turns.slice(0, start < 0 ? turns.length : start)
  const first = join(early.map((turn) => (turn.kind === 'prompt' ? encodeRules(turn, origins) : none<TextBlock>())))
  const entries = yield* mapSteps(turns.slice(early.length), (turn): Encoded<Entry> => {
    switch (turn.kind) {
      case 'prompt':
        return turn.item.role === 'user' ? encodeUser(turn, origins) : encodeLateRules(turn, origins)
      case 'orphan': {
        const { out, losses } = encodeOutput(turn, origins)
        return { out: [{ role: 'user', content: out }], losses }
      }
      case 'assistant':
        return encodeTurn(turn, frame)
    }
  })
  const unknown = input.flatMap((item, at) =>
    item.type === 'other'
      ? [dropped(`input[${at}]`, `this upstream does not accept items of type ${JSON.stringify(item.item.type)}`)]
      : [],
  )
  const joined = join(entries)
  const { system, messages, losses } = toMessages(joined.out, lateSystem === true, origins)
  const instructed = instructionTexts(request).map(({ text, breakpoint }) =>
    textBlock(text, breakpoint === null ? {} : { prompt_cache_breakpoint: breakpoint }),
  )
  return {
    system: [...instructed, ...first.out, ...system],
    messages,
    losses: [...first.losses, ...joined.losses, ...losses, ...unknown],
  }
}
