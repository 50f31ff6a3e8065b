import { readItem } from '../../dialects/read-objects.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Event } from '../../protocol/event.ts'
import type { Item } from '../../protocol/item.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Part } from '../../protocol/part.ts'
import type { Response } from '../../protocol/response.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../text/json.ts'

/** The list of an item that a part belongs to. */
type PartOf = 'content' | 'summary'

interface SentPart {
  readonly of: PartOf
  readonly at: number
  readonly type: string
  hasText: boolean
}

interface SentItem {
  readonly index: number
  /** The item as it was added, without its content and its status. */
  readonly added: JsonObject
  open: SentPart[]
  hasArguments: boolean
  isDone: boolean
  /** The item as it was done, in which members may be missing that were only announced. */
  whole: Item | null
}

const partOf = (type: string): PartOf => (type.startsWith('response.reasoning_summary') ? 'summary' : 'content')

const isIndex = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value)

/**
 * The objects of a Responses stream that its client has received: what a failure must repeat and close. The texts of
 * unfinished items are those of the machines, which read the same stream under ids of their own.
 */
export class SentResponse {
  private head: Pick<Response, 'id' | 'created_at' | 'model'> | null = null
  private readonly items = new Map<number, SentItem>()
  /** In the order in which they have got their first content. */
  private readonly begun = new Set<SentItem>()

  add(event: JsonObject): void {
    const { type, output_index: index } = event
    if (!isNonEmptyString(type) || !type.startsWith('response.')) return
    if (isObject(event.response)) this.addResponse(event.response as JsonObject)
    if (!isIndex(index)) return
    if (type === 'response.output_item.added') {
      const { content: _, summary: __, status: ___, ...added } = isObject(event.item) ? (event.item as JsonObject) : {}
      // An item that is announced twice is one item.
      const known = this.items.get(index)
      if (known !== undefined && !known.isDone && isNonEmptyString(added.id) && known.added.id === added.id) return
      const item: SentItem = { index, added, open: [], hasArguments: false, isDone: false, whole: null }
      this.items.set(index, item)
      if (added.type !== 'message' && added.type !== 'reasoning') this.begun.add(item)
      return
    }
    const item = this.items.get(index)
    if (item === undefined) return
    // The machines read no text where a part is announced.
    if (!type.endsWith('.added') && hasContent(event)) this.begun.add(item)
    applyInside(item, type, event)
  }

  private addResponse({ id, created_at, model }: JsonObject): void {
    if (this.head !== null || !isNonEmptyString(id)) return
    this.head = {
      id,
      created_at: isIndex(created_at) ? created_at : 0,
      model: isNonEmptyString(model) ? model : '',
    }
  }

  /**
   * The events that end this stream as failed. `answer`: the answer as the machines have read it. `isAnnounced`: the
   * client has the event `error`, which only the failed response follows.
   */
  failure({ code, message, param }: GatewayError, answer: Response, isAnnounced: boolean): readonly Event[] {
    const { head } = this
    const response_id = head?.id ?? answer.id
    const output: Item[] = []
    const closing: Event[] = []
    const readItems = this.pair(answer.output)
    for (const item of [...this.items.values()].sort((one, other) => one.index - other.index)) {
      const read = readItems.get(item)
      const status = item.isDone ? 'completed' : 'incomplete'
      const isRead = read !== undefined && (item.whole === null || contains(read, item.whole))
      const whole = isRead ? withId(read, item.added) : (item.whole ?? readItem(item.added, status))
      if (whole === null) continue
      output.push(whole)
      if (!item.isDone) closing.push(...closingEvents(item, whole, response_id))
    }
    const failed: Response = { ...answer, ...head, model: head?.model || answer.model, output }
    const begun: Response = { ...answer, status: 'in_progress', output: [], usage: null, error: null }
    const opening: readonly Event[] =
      head === null
        ? [
            { type: 'created', response: begun },
            { type: 'in_progress', response: begun },
          ]
        : []
    if (isAnnounced) return [{ type: 'failed', response: failed }]
    return [
      ...opening,
      ...closing,
      { type: 'error', code, message, param, error: { type: code, code, message, param } },
      { type: 'failed', response: failed },
    ]
  }

  /** The items that the machines have read: in the order in which they began, without those that have no content. */
  private pair(output: readonly Item[]): ReadonlyMap<SentItem, Item> {
    const pairs = new Map<SentItem, Item>()
    const pairEach = (items: Iterable<SentItem>, queues: Queues, keyOf: (item: SentItem) => string | null): void => {
      for (const item of items) {
        const key = pairs.has(item) ? null : keyOf(item)
        const read = key === null ? undefined : queues.get(key)?.pop()
        if (read !== undefined) pairs.set(item, read)
      }
    }
    pairEach(this.begun, queuesOf(output, keyOf), ({ whole }) => (whole === null ? null : keyOf(whole)))
    const paired = new Set(pairs.values())
    const left = output.filter((read) => !paired.has(read))
    const byType = queuesOf(left, ({ type }) => type)
    const typeOf = ({ added }: SentItem): string => scalarToString(added.type)
    pairEach(this.begun, byType, typeOf)
    // The pieces of a text may have been sent without being examined.
    const open = [...this.items.values()].filter((item) => !item.isDone)
    pairEach(open, byType, typeOf)
    return pairs
  }
}

/** Items by their keys, the first one last. */
type Queues = ReadonlyMap<string, Item[]>

function queuesOf(items: readonly Item[], keyOf: (item: Item) => string | null): Queues {
  const queues = new Map<string, Item[]>()
  for (const item of [...items].reverse()) {
    const key = keyOf(item)
    if (key === null) continue
    const queue = queues.get(key)
    if (queue === undefined) queues.set(key, [item])
    else queue.push(item)
  }
  return queues
}

const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('')

/** The key that an item shares with the one that the machines have read of it; null if that is its type alone. */
function keyOf(item: Item): string | null {
  switch (item.type) {
    case 'message':
      return `message ${textOf(item.content)}`
    case 'reasoning':
      return `reasoning ${item.encrypted_content === null} ${thoughtOf(item)}`
    case 'function_call':
    case 'custom_tool_call':
      return `${item.type} ${item.call_id}`
    default:
      return null
  }
}

/** Whether an item as the machines have read it can be this one: it may also have what came only in pieces. */
function contains(read: Item, whole: Item): boolean {
  if (read.type === 'message' && whole.type === 'message') return textOf(read.content).includes(textOf(whole.content))
  if (read.type === 'reasoning' && whole.type === 'reasoning') return thoughtOf(read).includes(thoughtOf(whole))
  return keyOf(read) === keyOf(whole)
}

const thoughtOf = ({ summary, content }: Extract<Item, { type: 'reasoning' }>): string =>
  textOf([...summary, ...content])

/** A done item may leave out what was announced. */
function wholeOf(added: JsonObject, done: unknown): Item | null {
  if (!isObject(done)) return null
  const given = Object.entries(done as JsonObject).filter(([, value]) => value !== null && value !== '')
  const merged: JsonObject = { ...added, ...Object.fromEntries(given) }
  return readItem(merged.status === 'in_progress' ? { ...merged, status: 'completed' } : merged, 'completed')
}

const CONTENT = ['delta', 'text', 'refusal', 'encrypted_content'] as const

const hasText = (value: unknown): boolean =>
  isNonEmptyString(value) || (isObject(value) && CONTENT.some((name) => isNonEmptyString(value[name])))

/** Whether an event, its part or its item has any content. */
function hasContent(event: JsonObject): boolean {
  const { part, item } = event
  const parts = isObject(item) ? [item.content, item.summary].flat() : []
  return [event, part, item, ...parts].some(hasText)
}

function applyInside(item: SentItem, type: string, event: JsonObject): void {
  const of = partOf(type)
  const at = of === 'summary' ? event.summary_index : event.content_index
  const isPart = (part: SentPart): boolean => part.of === of && part.at === at
  switch (type) {
    case 'response.content_part.added':
    case 'response.reasoning_summary_part.added': {
      const kind = isObject(event.part) && isNonEmptyString(event.part.type) ? event.part.type : ''
      if (isIndex(at)) item.open.push({ of, at, type: kind, hasText: false })
      return
    }
    case 'response.content_part.done':
    case 'response.reasoning_summary_part.done':
      item.open = item.open.filter((part) => !isPart(part))
      return
    case 'response.output_text.done':
    case 'response.refusal.done':
    case 'response.reasoning_text.done':
    case 'response.reasoning_summary_text.done':
      for (const part of item.open) if (isPart(part)) part.hasText = true
      return
    case 'response.function_call_arguments.done':
    case 'response.custom_tool_call_input.done':
      item.hasArguments = true
      return
    case 'response.output_item.done':
      item.open = []
      item.isDone = true
      item.whole = wholeOf(item.added, event.item)
  }
}

/** The item that the machines have read, under the id that the client has. */
function withId(item: Item, { id }: JsonObject): Item {
  return isNonEmptyString(id) ? { ...item, id } : item
}

function closingEvents(sent: SentItem, item: Item, response_id: string): readonly Event[] {
  const address = { response_id, output_index: sent.index, item_id: item.id }
  return [
    ...sent.open.flatMap((part) => partEvents(part, item, address)),
    ...(sent.hasArguments ? [] : argumentEvents(item, address)),
    { type: 'output_item.done', response_id, output_index: sent.index, item },
  ]
}

type Address = Pick<
  Extract<Event, { type: 'function_call_arguments.done' }>,
  'response_id' | 'output_index' | 'item_id'
>

function argumentEvents(item: Item, address: Address): readonly Event[] {
  if (item.type === 'function_call')
    return [{ type: 'function_call_arguments.done', ...address, name: item.name, arguments: item.arguments }]
  if (item.type === 'custom_tool_call') return [{ type: 'custom_tool_call_input.done', ...address, input: item.input }]
  return []
}

function partEvents({ of, at, type, hasText }: SentPart, item: Item, address: Address): readonly Event[] {
  if (of === 'summary') {
    const part = partAt(item, of, at) ?? { type: 'summary_text', text: '' }
    const text = 'text' in part ? part.text : ''
    const done: Event = { type: 'reasoning_summary_part.done', ...address, summary_index: at, part }
    return hasText ? [done] : [{ type: 'reasoning_summary_text.done', ...address, summary_index: at, text }, done]
  }
  const place = { ...address, content_index: at }
  const part = partAt(item, of, at) ?? emptyPart(type)
  const done: Event = { type: 'content_part.done', ...place, part }
  return hasText ? [done] : [textEvent(part, place), done]
}

function textEvent(part: Part, place: Address & { readonly content_index: number }): Event {
  if (part.type === 'refusal') return { type: 'refusal.done', ...place, refusal: part.refusal }
  if (part.type === 'output_text') return { type: 'output_text.done', ...place, text: part.text, logprobs: [] }
  return { type: 'reasoning_text.done', ...place, text: part.text }
}

function partAt(item: Item, of: PartOf, at: number): Part | undefined {
  if (item.type === 'message') return item.content[at]
  return item.type === 'reasoning' ? item[of][at] : undefined
}

function emptyPart(type: string): Part {
  if (type === 'refusal') return { type, refusal: '' }
  return type === 'reasoning_text'
    ? { type, text: '' }
    : { type: 'output_text', text: '', annotations: [], logprobs: [] }
}
