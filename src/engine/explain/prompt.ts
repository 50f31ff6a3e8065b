import type { Json, JsonObject, JsonRecord } from '../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import type { Steps } from '../../text/steps.ts'
import type { BodyShape } from '../../wires/body-contract.ts'

/** A block of a prompt: a tool, a text of the instructions, or a part of a message. */
export interface SentBlock {
  /** The path in the upstream's body. */
  readonly path: string
  /** The content as JSON, with the role of its message and without breakpoints. */
  readonly text: string
  readonly breakpoints: readonly SentBreakpoint[]
}

export interface SentBreakpoint {
  readonly path: string
  readonly ttl: string | null
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
function* blocksIn(list: readonly unknown[], path: string, role: unknown): Steps<SentBlock[]> {
  const blocks: SentBlock[] = []
  for (const [at, block] of list.entries()) {
    const own = `${path}[${at}]`
    const last = blocks.at(-1)
    if (isObject(block) && POINT in block && last !== undefined)
      blocks[blocks.length - 1] = addBreakpoints(last, [toBreakpoint(`${own}.${POINT}`, block[POINT])])
    else blocks.push(toBlock(block, own, role))
    yield
  }
  return blocks
}

function toBlock(block: unknown, path: string, role: unknown): SentBlock {
  if (!isObject(block))
    return { path, text: JSON.stringify(role === undefined ? block : { role, text: block }), breakpoints: [] }
  const text = JSON.stringify(role === undefined ? plainBlock(block) : { role, ...plainBlock(block) })
  return { path, text, breakpoints: [...innerLists(block, path), ...marksOf(block, path)] }
}

/** A message or an item: its parts, then its other members. */
function* blocksOfMessage(message: unknown, path: string): Steps<readonly SentBlock[]> {
  if (!isObject(message)) return [{ path, text: JSON.stringify(message), breakpoints: [] }]
  const name = LISTS.find((list) => Array.isArray(message[list]))
  const marks = marksOf(message, path)
  if (name === undefined) return [{ path, text: JSON.stringify(without(message, MARKS)), breakpoints: marks }]
  const parts = yield* blocksIn(toArray(message[name]), `${path}.${name}`, message.role ?? message.type)
  const rest = without(message, [name, ...MARKS])
  const isBare = Object.keys(rest).every((member) => member === 'role') && parts.length > 0
  if (!isBare) return [...parts, { path, text: JSON.stringify(rest), breakpoints: marks }]
  return withLast(parts, marks)
}

const addBreakpoints = (block: SentBlock, more: readonly SentBreakpoint[]): SentBlock =>
  more.length === 0 ? block : { ...block, breakpoints: [...block.breakpoints, ...more] }

/** Adds breakpoints to the last block. */
function withLast(blocks: SentBlock[], more: readonly SentBreakpoint[]): readonly SentBlock[] {
  const last = blocks.pop()
  if (last !== undefined) blocks.push(addBreakpoints(last, more))
  return blocks
}

/** The blocks of an upstream's body in the order of its prompt. A breakpoint of the body itself stands at the end. */
export function* promptOf({ prompt }: BodyShape, body: JsonObject): Steps<readonly SentBlock[]> {
  const blocks: SentBlock[] = []
  for (const steps of prompt) {
    const section = steps.reduce<Json | undefined>(
      (value, name) => (isObject(value) ? ((value as JsonObject)[name] as Json | undefined) : undefined),
      body,
    )
    const path = steps.join('.')
    const list = toArray(section)
    if (isNonEmptyString(section)) blocks.push({ path, text: JSON.stringify(section), breakpoints: [] })
    else if (CONVERSATIONS.has(path))
      for (const [at, message] of list.entries()) {
        for (const block of yield* blocksOfMessage(message, `${path}[${at}]`)) blocks.push(block)
        yield
      }
    else for (const block of yield* blocksIn(list, path, undefined)) blocks.push(block)
  }
  return withLast(blocks, isObject(body.cache_control) ? [toBreakpoint('cache_control', body.cache_control)] : [])
}

const CONVERSATIONS: ReadonlySet<string> = new Set(['messages', 'input', 'contents'])
