import type { Json, JsonObject } from '../../../protocol/json.ts'
import {
  dropped,
  EMPTY_MESSAGE,
  type Loss,
  mapped,
  NO_FILES,
  SENT_AS_FUNCTION_CALL,
  UNREADABLE_REASONING,
} from '../../../protocol/loss.ts'
import type { AssistantPart, Cacheable, InputItem, InputPart, Request, Tool } from '../../../protocol/request.ts'
import { isHostedType } from '../../../responses/hosted-tools.ts'
import { isObject, scalarToString } from '../../../text/json.ts'
import { mapSteps, type Steps } from '../../../text/steps.ts'
import type { UpstreamContext } from '../../contract.ts'
import { fromItems } from '../../origins.ts'
import type { Quirks } from '../../quirks.ts'
import { audioRefusal } from '../../shared/upstream/audio.ts'
import { toCallId } from '../../shared/upstream/call-ids.ts'
import {
  type AssistantInput,
  type CallInput,
  type OutputInput,
  type PromptInput,
  type ReasoningInput,
  toTurns,
} from '../../shared/upstream/conversation.ts'
import { loneMessages, missingPartText } from '../../shared/upstream/history-text.ts'
import { staysInPlace } from '../../shared/upstream/input/in-place.ts'
import { videoUrl } from '../../shared/upstream/video.ts'
import type { ResponsesBreakpoint, ResponsesContent, ResponsesItem, ResponsesPart } from '../json.ts'
import { withOffered } from './added-tools.ts'

/** The encoded item and its losses; no item if nothing is left of it. */
interface Encoded {
  readonly out: readonly ResponsesItem[]
  readonly losses: readonly Loss[]
}

const NOTHING_LEFT: Encoded = { out: [], losses: [] }

const one = (item: ResponsesItem, losses: readonly Loss[] = []): Encoded => ({ out: [item], losses })

const without = (at: number, why: string): Encoded => ({ out: [], losses: [dropped(`input[${at}]`, why)] })

const withoutNulls = (fields: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** A lifetime is left out where the upstream is to choose it. */
function breakpointOf({ prompt_cache_breakpoint: breakpoint }: Cacheable): ResponsesBreakpoint {
  if (!breakpoint) return {}
  const { mode, ttl } = breakpoint
  return { prompt_cache_breakpoint: ttl === null ? { mode } : { mode, ttl } }
}

const encodePart = (part: InputPart, quirks: Quirks): ResponsesPart => ({
  ...encodeKind(part, quirks),
  ...breakpointOf(part),
})

function encodeKind(part: InputPart, { videoParts }: Quirks): ResponsesPart {
  switch (part.type) {
    case 'input_text':
      return { type: 'input_text', text: part.text }
    case 'input_image': {
      const { type, image_url, file_id = null, detail } = part
      return { type, ...withoutNulls({ image_url, file_id, detail }) }
    }
    case 'input_file': {
      const video = videoParts === true ? videoUrl(part) : null
      if (video !== null) return { type: 'input_video', video_url: video }
      const { type, filename, file_data, file_url, file_id, detail = null } = part
      return { type, ...withoutNulls({ filename, file_data, file_url, file_id, detail }) }
    }
    case 'input_audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } }
  }
}

/** Returns a single text as a string, because not every server accepts lists. */
function toContent(parts: readonly ResponsesPart[]): ResponsesContent {
  const [first] = parts
  if (first === undefined) return ''
  const isText = first.type === 'input_text' || first.type === 'output_text'
  return parts.length === 1 && isText && first.prompt_cache_breakpoint === undefined ? first.text : parts
}

/** Why a part cannot be carried; null if it can. */
function refusalOf(part: InputPart, quirks: Quirks): string | null {
  if (part.type === 'input_file' && quirks.files === 'none') return NO_FILES
  return part.type === 'input_audio' ? audioRefusal(part.format, quirks) : null
}

/** Encodes parts. A note replaces one that cannot be carried, so that the model does not guess. */
function encodeParts(parts: readonly InputPart[], path: string, { quirks, origins }: UpstreamContext) {
  const losses: Loss[] = []
  const encoded = parts.map((part, i) => {
    const why = refusalOf(part, quirks)
    if (why !== null) losses.push(dropped(`${path}[${i}]`, why))
    const own: ResponsesPart =
      why === null
        ? encodePart(part, quirks)
        : { type: 'input_text', text: missingPartText(part), ...breakpointOf(part) }
    origins?.add(own, `${path}[${i}]`)
    return own
  })
  return { content: toContent(encoded), losses }
}

function encodePrompt(at: number, item: PromptInput, target: UpstreamContext): Encoded {
  const { quirks } = target
  const { content, losses } = encodeParts(item.content, `input[${at}].content`, target)
  const role = item.role === 'developer' && quirks.developerRole !== true ? 'system' : rulesRole(item.role, quirks)
  return one({ type: 'message', role, content }, losses)
}

const rulesRole = (role: PromptInput['role'], { noSystemRole }: Quirks): PromptInput['role'] =>
  role === 'system' && noSystemRole === true ? 'developer' : role

function encodeAssistantItem(part: AssistantPart, { refusalAsText }: Quirks): ResponsesPart {
  if (part.type === 'output_text') return { type: part.type, text: part.text }
  const { type, refusal } = part
  return refusalAsText === true ? { type: 'output_text', text: refusal } : { type, refusal }
}

function encodeAssistant(
  at: number,
  item: AssistantInput,
  { quirks, origins }: UpstreamContext,
  isLone: boolean,
): Encoded {
  const parts = item.content.flatMap((part, i) => {
    if (part.type !== 'refusal' && part.text === '') return []
    const own = encodeAssistantItem(part, quirks)
    origins?.add(own, `input[${at}].content[${i}]`)
    return [own]
  })
  if (parts.length === 0) return isLone ? without(at, EMPTY_MESSAGE) : NOTHING_LEFT
  const content = toContent(parts)
  const phase = item.phase === undefined ? {} : { phase: item.phase }
  return one({ type: 'message', role: 'assistant', content, ...phase })
}

function encodeCall(at: number, item: CallInput, quirks: Quirks): Encoded {
  const call_id = toCallId(item.call_id, quirks.callIds)
  // The upstream names the tool as its namespace does.
  const names = quirks.namespaces === true && item.qualified !== undefined ? item.qualified : { name: item.name }
  if (item.type === 'function_call') {
    const args = item.arguments.trim() === '' ? '{}' : item.arguments
    return one({ type: 'function_call', call_id, ...names, arguments: args, ...item.origin })
  }
  const own = { call_id, ...names, ...item.origin }
  if (quirks.customTools === true) return one({ type: 'custom_tool_call', input: item.input, ...own })
  return one({ type: 'function_call', arguments: JSON.stringify({ input: item.input }), ...own }, [
    mapped(`input[${at}]`, SENT_AS_FUNCTION_CALL),
  ])
}

function encodeOutput(at: number, item: OutputInput, target: UpstreamContext): Encoded {
  const { quirks } = target
  const { content: output, losses } = encodeParts(item.output, `input[${at}].output`, target)
  const type = quirks.customTools === true ? item.type : 'function_call_output'
  return one({ type, call_id: toCallId(item.call_id, quirks.callIds), output, ...item.origin }, losses)
}

const readable = ({ content, summary }: ReasoningInput): readonly string[] =>
  (content.length > 0 ? content : summary).filter((text) => text !== '')

/**
 * Encrypted reasoning of this upstream goes back unchanged. Other reasoning goes back as readable text, and only if the
 * upstream accepts it (`reasoningHistory`): never as a summary, because a dialect may have written one as the other.
 */
function encodeReasoning(at: number, item: ReasoningInput, { quirks, open }: UpstreamContext): Encoded {
  const sealed = item.encrypted_content
  const payload: Json | undefined = sealed === null ? undefined : open(sealed)
  if (isObject(payload)) {
    const summary = item.summary.map((text) => ({ type: 'summary_text', text }))
    return one({ summary, ...payload, type: 'reasoning' } as JsonObject)
  }
  const foreign = sealed === null ? [] : [dropped(`input[${at}]`, UNREADABLE_REASONING)]
  const words = readable(item)
  if (quirks.reasoningHistory === undefined || words.length === 0) {
    if (foreign.length > 0) return { out: [], losses: foreign }
    return words.length === 0 ? NOTHING_LEFT : without(at, 'this upstream accepts only encrypted reasoning')
  }
  return one(
    { type: 'reasoning', summary: [], content: words.map((text) => ({ type: 'reasoning_text', text })) },
    foreign,
  )
}

interface ItemPlace {
  /** Whether the item is a message without another item in its turn. */
  readonly isLone: boolean
  readonly tools: ReadonlySet<Tool>
}

/** Items of unknown type are passed on. An `item_reference` is dropped, because its item is not stored anywhere. */
const passesOn = (item: JsonObject, quirks: Quirks): boolean =>
  item.type !== 'item_reference' &&
  (quirks.hostedHistory === true || !isHostedType(item.type) || staysInPlace(item, quirks))

function encodeItem(at: number, item: InputItem, target: UpstreamContext, { isLone, tools }: ItemPlace): Encoded {
  const { quirks } = target
  switch (item.type) {
    case 'message':
      return item.role === 'assistant' ? encodeAssistant(at, item, target, isLone) : encodePrompt(at, item, target)
    case 'function_call':
    case 'custom_tool_call':
      return encodeCall(at, item, quirks)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return encodeOutput(at, item, target)
    case 'reasoning':
      return encodeReasoning(at, item, target)
    case 'other':
      return passesOn(item.item, quirks)
        ? one(item.added === undefined ? item.item : withOffered(item.item, item.added, tools))
        : without(at, `this upstream does not accept items of type ${scalarToString(item.item.type)}`)
  }
}

/** Encodes the items of a request one by one: this wire has the same items. */
export function* encodeInput({ input, tools }: Request, target: UpstreamContext): Steps<Encoded> {
  const lone = loneMessages(toTurns(input))
  const offered = new Set(tools)
  const encoded = yield* mapSteps(input, (item, at) => {
    const own = encodeItem(at, item, target, { isLone: lone.has(at), tools: offered })
    for (const made of own.out) fromItems(made, target.origins, { at })
    return own
  })
  return { out: encoded.flatMap(({ out }) => out), losses: encoded.flatMap(({ losses }) => losses) }
}
