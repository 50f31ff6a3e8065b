import type { Json, JsonObject } from '../../protocol/json.ts'
import { dropped, type Loss, mapped, SENT_AS_USER } from '../../protocol/loss.ts'
import type { InputItem, InputPart, Request } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import { isEnvelope } from '../../responses/encrypted-content.ts'
import { isHostedType } from '../../responses/hosted-tools.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import { RESPONSES_WIRE, type UpstreamContext, type Wire } from '../../wires/contract.ts'
import { INPUT_CHANGES, type Quirks } from '../../wires/quirks.ts'
import type { Pass, Passed } from './pass.ts'

type OtherItem = Extract<InputItem, { readonly type: 'other' }>

/** The members whose texts the model has written or read: of calls that an upstream ran, and of tools of the client. */
const TEXTS_OF_CALLS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['web_search_call', ['action', 'results']],
  ['file_search_call', ['queries', 'results']],
  ['code_interpreter_call', ['code', 'outputs']],
  ['mcp_call', ['server_label', 'name', 'arguments', 'output', 'error']],
  ['multi_agent_call', ['action', 'arguments']],
  ['multi_agent_call_output', ['action', 'output']],
  ['local_shell_call', ['action']],
  ['shell_call', ['action']],
  ['apply_patch_call', ['operation']],
])

/** The members of outputs of tools that the client ran after the answer with their call. */
const TEXTS_OF_OUTPUTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['local_shell_call_output', ['output']],
  ['shell_call_output', ['output']],
  ['apply_patch_call_output', ['status', 'output']],
])

/** The text of such an item as JSON, after its type; null for an item without these members. */
function textOf(item: JsonObject, texts: ReadonlyMap<unknown, readonly string[]>): string | null {
  const members = texts.get(item.type) ?? []
  const kept = members.flatMap((name) => ((item[name] ?? null) === null ? [] : [[name, item[name]] as const]))
  return kept.length === 0 ? null : `${item.type}: ${JSON.stringify(Object.fromEntries(kept))}`
}

const UNREADABLE = '[encrypted content: it could not be passed on]'

/** A token of OpenAI, or an envelope of this gateway: no other upstream can read either. */
const isEncrypted = (text: string): boolean => /^gAAAA[\w-]{60,}=*$/.test(text) || isEnvelope(text)

const inputText = (text: string): InputPart => ({ type: 'input_text', text })

/**
 * Reads one part of the content. Codex puts the plain text of its agents into `encrypted_content`, because only OpenAI
 * encrypts it. Null for a part of another kind.
 */
function readPart(part: Json): InputPart | null {
  if (typeof part === 'string') return inputText(part)
  if (!isObject(part)) return null
  const { encrypted_content: encrypted, text } = part
  if (typeof encrypted === 'string') return inputText(isEncrypted(encrypted) ? UNREADABLE : encrypted)
  if (part.type === 'input_image') return readImage(part)
  return typeof text === 'string' ? inputText(text) : null
}

const textOrNull = (value: unknown): string | null => (isNonEmptyString(value) ? value : null)

function readImage({ image_url, file_id, detail }: JsonObject): InputPart | null {
  const [url, file] = [textOrNull(image_url), textOrNull(file_id)]
  if (url === null && file === null) return null
  return {
    type: 'input_image',
    image_url: url,
    ...(file === null ? {} : { file_id: file }),
    detail: textOrNull(detail),
  }
}

/** The content of a message of an unknown kind: OpenAI and its clients name it in one of these ways. */
const CONTENT = ['content', 'output', 'message', 'text'] as const

function contentOf(item: JsonObject): readonly Json[] | null {
  for (const name of CONTENT) {
    const value = item[name]
    if (isNonEmptyString(value)) return [value]
    if (Array.isArray(value) && value.some((part) => readPart(part) !== null)) return value
  }
  return null
}

/** The sender is part of the text, because agents of one conversation are otherwise indistinguishable. */
function envelopeOf({ author, recipient }: JsonObject): string {
  if (!isNonEmptyString(author)) return ''
  return isNonEmptyString(recipient) ? `Message from ${author} to ${recipient}:\n` : `Message from ${author}:\n`
}

interface Message {
  readonly parts: readonly InputPart[]
  readonly losses: readonly Loss[]
}

/** Parts keep their indices, because the paths of their losses have them. */
function messageOf(item: JsonObject, content: readonly Json[], at: number): Message {
  const losses: Loss[] = []
  const parts = content.map((part, i): InputPart => {
    const read = readPart(part)
    const isLost = read === null || (read.type === 'input_text' && read.text === UNREADABLE)
    if (isLost) losses.push(dropped(`input[${at}].content[${i}]`, 'this upstream cannot read it'))
    return read ?? inputText('')
  })
  const first = parts.findIndex(({ type }) => type === 'input_text')
  const envelope = envelopeOf(item)
  const text = first < 0 ? undefined : parts[first]
  if (text?.type !== 'input_text') return { parts: envelope === '' ? parts : [...parts, inputText(envelope)], losses }
  return { parts: parts.with(first, { ...text, text: envelope + text.text }), losses }
}

interface Converted {
  readonly message: Message
  /** Whether the model produced the item, so that it stands between other items of one answer. */
  readonly isCall: boolean
}

/** Whether an upstream of the wire takes the item as it is, or another rule decides about it. */
function staysAsItIs({ item, added, update }: OtherItem, wire: Wire, quirks: Quirks): boolean {
  if (added !== undefined || update !== undefined || INPUT_CHANGES.has(item.type)) return true
  if (item.type === 'item_reference' || item.type === 'function_call_output' || item.type === 'compaction') return true
  return wire.name === RESPONSES_WIRE && (quirks.hostedHistory === true || !isHostedType(item.type))
}

function convert(other: OtherItem, at: number, wire: Wire, quirks: Quirks): Converted | null {
  if (staysAsItIs(other, wire, quirks)) return null
  const { item } = other
  const called = textOf(item, TEXTS_OF_CALLS)
  const text = called ?? textOf(item, TEXTS_OF_OUTPUTS)
  if (text !== null) return { message: { parts: [inputText(text)], losses: [] }, isCall: called !== null }
  if (isHostedType(item.type) && item.type !== 'agent_message') return null
  const content = contentOf(item)
  return content === null ? null : { message: messageOf(item, content, at), isCall: false }
}

const isOfAnswer = (item: InputItem): boolean =>
  item.type === 'message'
    ? item.role === 'assistant'
    : item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output'

/** Whether the upstream itself encrypted something of the answer, such as the results of its own search. */
function isReadable(item: InputItem | undefined, { open }: UpstreamContext): boolean {
  const { encrypted_content: sealed } = item?.type === 'other' ? item.item : item?.type === 'reasoning' ? item : NOTHING
  return isNonEmptyString(sealed) && open(sealed) !== undefined
}

const NOTHING = { encrypted_content: null }

/** Whether it is a call of a tool that the client runs. */
const isOfClient = (item: InputItem | undefined): boolean =>
  item?.type === 'other' && TEXTS_OF_OUTPUTS.has(`${item.item.type}_output`)

/**
 * A call becomes a message before the answer that it is in: a message between the items of one answer would separate
 * reasoning from what it belongs to. The calls that its upstream ran stay in an answer that returns to it; it has no
 * items for those of tools of the client. O(n).
 */
function convertAll({ input }: Request, wire: Wire, target: UpstreamContext) {
  const items: InputItem[] = []
  const places: number[] = []
  const losses: Loss[] = []
  let answer: number[] = []
  const calls = new Map<number, Message>()
  const push = (item: InputItem | undefined, at: number): void => {
    if (item === undefined) return
    items.push(item)
    places.push(at)
  }
  const pushMessage = ({ parts, losses: own }: Message, at: number): void => {
    losses.push(mapped(`input[${at}]`, SENT_AS_USER), ...own)
    push({ type: 'message', role: 'user', content: parts }, at)
  }
  const endAnswer = (): void => {
    const returns = answer.some((at) => isReadable(input[at], target))
    const stays = (at: number): boolean => !calls.has(at) || (returns && !isOfClient(input[at]))
    for (const [at, message] of calls) if (!stays(at)) pushMessage(message, at)
    for (const at of answer) if (stays(at)) push(input[at], at)
    answer = []
    calls.clear()
  }
  for (const [at, item] of input.entries()) {
    const converted = item.type === 'other' ? convert(item, at, wire, target.quirks) : null
    if (converted?.isCall === true) calls.set(at, converted.message)
    if (converted?.isCall ?? isOfAnswer(item)) {
      answer.push(at)
      continue
    }
    endAnswer()
    if (converted === null) push(item, at)
    else pushMessage(converted.message, at)
  }
  endAnswer()
  return { items, places, losses }
}

/** Items of other types that carry texts of the conversation are messages of the user for an upstream without them. */
export const conversationItems: Pass = ({ request, sent }, { wire, quirks }) => {
  const isConverted = (item: InputItem, at: number): boolean =>
    item.type === 'other' && convert(item, at, wire, quirks) !== null
  if (sent.wire !== RESPONSES_WIRE || !request.input.some(isConverted)) return null
  return {
    apply(original, target): Passed {
      const { items, places, losses } = convertAll(original, wire, target)
      return {
        ok: true,
        request: { ...original, input: items },
        losses,
        toEarlier: movedEntries({ input: places }),
      }
    },
  }
}
