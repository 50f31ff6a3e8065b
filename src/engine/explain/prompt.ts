import type { Json, JsonObject, JsonRecord } from '../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import type { WireName } from '../../wires/contract.ts'

/** A block of a prompt: a tool, a text of the instructions, or a part of a message. */
export interface SentBlock {
  /** The path in the upstream's body. */
  readonly path: string
  /** The content as JSON, with the role of its message and without breakpoints. */
  readonly text: string
  /** The breakpoints at its end. */
  readonly breakpoints: readonly SentBreakpoint[]
}

export interface SentBreakpoint {
  readonly path: string
  readonly ttl: string | null
}

/** The members of a body that are its prompt, in the order in which the models of a wire read them. */
const SECTIONS: Readonly<Record<WireName, readonly (readonly string[])[]>> = {
  'openai-chat': [['tools'], ['messages']],
  'openai-responses': [['tools'], ['instructions'], ['input']],
  'anthropic-messages': [['tools'], ['system'], ['messages']],
  'gemini-generate': [['systemInstruction', 'parts'], ['tools'], ['contents']],
  'bedrock-converse': [['toolConfig', 'tools'], ['system'], ['messages']],
  'cohere-chat': [['tools'], ['documents'], ['messages']],
  'ollama-chat': [['tools'], ['messages']],
}

/** The members of a message or an item that are lists of blocks. */
const LISTS = ['content', 'parts', 'output'] as const
/** A breakpoint beside the value that it stands on. */
const MARKS = ['cache_control', 'prompt_cache_breakpoint'] as const
/** A breakpoint that is an entry of its own. */
const POINT = 'cachePoint'

const toBreakpoint = (path: string, mark: unknown): SentBreakpoint => ({
  path,
  ttl: isObject(mark) && isNonEmptyString(mark.ttl) ? mark.ttl : null,
})

const marksOf = (value: JsonRecord, path: string): readonly SentBreakpoint[] =>
  MARKS.flatMap((name) => (isObject(value[name]) ? [toBreakpoint(`${path}.${name}`, value[name])] : []))

const without = (value: JsonRecord, names: readonly string[]): JsonRecord =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

/** Breakpoints of parts of an output belong to the whole output. */
const innerBreakpoints = (list: unknown, path: string): readonly SentBreakpoint[] =>
  toArray(list).flatMap((part, at) => {
    if (!isObject(part)) return []
    const own = `${path}[${at}]`
    return POINT in part ? [toBreakpoint(`${own}.${POINT}`, part[POINT])] : marksOf(part, own)
  })

/** The places of the outputs of tools, which contain lists of parts themselves. */
const innerLists = (block: JsonRecord, path: string): readonly SentBreakpoint[] => [
  ...innerBreakpoints(block.content, `${path}.content`),
  ...(isObject(block.toolResult) ? innerBreakpoints(block.toolResult.content, `${path}.toolResult.content`) : []),
]

const withoutInner = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((part) => !(isObject(part) && POINT in part)).map(withoutInner)
  return isObject(value) ? without(value, MARKS) : value
}

function plainBlock(block: JsonRecord): JsonRecord {
  const plain = without(block, MARKS)
  const { content, toolResult } = plain
  return {
    ...plain,
    ...(Array.isArray(content) ? { content: withoutInner(content) } : {}),
    ...(isObject(toolResult) && Array.isArray(toolResult.content)
      ? { toolResult: { ...toolResult, content: withoutInner(toolResult.content) } }
      : {}),
  }
}

/** `role`: that of the message, which models read with each of its parts. */
function blocksIn(list: readonly unknown[], path: string, role: unknown): readonly SentBlock[] {
  const blocks: SentBlock[] = []
  list.forEach((block, at) => {
    const own = `${path}[${at}]`
    if (!isObject(block)) {
      blocks.push({
        path: own,
        text: JSON.stringify(role === undefined ? block : { role, text: block }),
        breakpoints: [],
      })
      return
    }
    const last = blocks.at(-1)
    if (POINT in block && last !== undefined) {
      blocks[blocks.length - 1] = addBreakpoints(last, [toBreakpoint(`${own}.${POINT}`, block[POINT])])
      return
    }
    const text = JSON.stringify(role === undefined ? plainBlock(block) : { role, ...plainBlock(block) })
    blocks.push({ path: own, text, breakpoints: [...innerLists(block, own), ...marksOf(block, own)] })
  })
  return blocks
}

/** A message or an item: its parts, then its other members. */
function blocksOfMessage(message: unknown, path: string): readonly SentBlock[] {
  if (!isObject(message)) return [{ path, text: JSON.stringify(message), breakpoints: [] }]
  const name = LISTS.find((list) => Array.isArray(message[list]))
  const marks = marksOf(message, path)
  if (name === undefined) return [{ path, text: JSON.stringify(without(message, MARKS)), breakpoints: marks }]
  const parts = blocksIn(toArray(message[name]), `${path}.${name}`, message.role ?? message.type)
  const rest = without(message, [name, ...MARKS])
  const isBare = Object.keys(rest).every((member) => member === 'role') && parts.length > 0
  if (!isBare) return [...parts, { path, text: JSON.stringify(rest), breakpoints: marks }]
  return parts.map((part, at) => (at === parts.length - 1 ? addBreakpoints(part, marks) : part))
}

const addBreakpoints = (block: SentBlock, more: readonly SentBreakpoint[]): SentBlock =>
  more.length === 0 ? block : { ...block, breakpoints: [...block.breakpoints, ...more] }

/** The blocks of an upstream's body in the order of its prompt. A breakpoint of the body itself stands at the end. */
export function promptOf(wire: WireName, body: JsonObject): readonly SentBlock[] {
  const blocks = blocksOfBody(wire, body)
  const whole = isObject(body.cache_control) ? [toBreakpoint('cache_control', body.cache_control)] : []
  return blocks.map((block, at) => (at === blocks.length - 1 ? addBreakpoints(block, whole) : block))
}

const blocksOfBody = (wire: WireName, body: JsonObject): readonly SentBlock[] =>
  SECTIONS[wire].flatMap((steps): readonly SentBlock[] => {
    const section = steps.reduce<Json | undefined>(
      (value, name) => (isObject(value) ? ((value as JsonObject)[name] as Json | undefined) : undefined),
      body,
    )
    const path = steps.join('.')
    if (isNonEmptyString(section)) return [{ path, text: JSON.stringify(section), breakpoints: [] }]
    const list = toArray(section)
    const isConversation = ['messages', 'input', 'contents'].includes(path)
    return isConversation
      ? list.flatMap((message, at) => blocksOfMessage(message, `${path}[${at}]`))
      : blocksIn(list, path, undefined)
  })
