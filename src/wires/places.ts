import type { JsonObject } from '../protocol/json.ts'
import { mapSteps, type Steps } from '../text/steps.ts'

/**
 * What a family calls the places of a Responses request, by the beginning of their paths. `input` is its messages; what
 * stands inside a tool begins with `tools[]`.
 */
export interface Places extends Readonly<Record<string, string>> {
  readonly input: string
}

/**
 * Where this one request has what may be said in several ways, by the beginning of its path in a Responses request:
 * `{ 'reasoning.effort': 'thinking.budget_tokens', 'tools[1].user_location': '…' }`. Null is what it does not say at all.
 */
export type FieldPlaces = Readonly<Record<string, string | null>>

/** An item of a conversation, and where its client has it: `messages[2]`, `messages[2].content[0]`. */
export interface PlacedItem {
  readonly item: JsonObject
  readonly place: string
}

export const placed = (items: readonly JsonObject[], place: string): readonly PlacedItem[] =>
  items.map((item) => ({ item, place }))

/** The items of a conversation, and the place of each. */
export interface Conversation {
  readonly items: readonly JsonObject[]
  readonly itemPlaces: readonly string[]
}

/** The conversation that these messages are, each by itself; it yields between them. */
export function* decodeEach<Message>(
  messages: readonly Message[],
  decode: (message: Message, at: number) => readonly PlacedItem[],
): Steps<Conversation> {
  const found = yield* mapSteps(messages, decode)
  return toConversation(found.flat())
}

export const toConversation = (found: readonly PlacedItem[]): Conversation => ({
  items: found.map(({ item }) => item),
  itemPlaces: found.map(({ place }) => place),
})

/** Where the parts of a request stood before a wire made a Responses request of them. */
export interface Origins {
  /** Of each item of `input`, the place in its client's words. */
  readonly itemPlaces: readonly string[]
  /** Of each of `tools`, the same: `functions[0]`, `tools[0].functionDeclarations[1]`. */
  readonly toolPlaces: readonly string[]
  /** Of its other fields, before the family's own table. */
  readonly fieldPlaces: FieldPlaces
}

/** The longest row that a path begins with. */
function rowOf(path: string, places: FieldPlaces): string | undefined {
  const rows = Object.keys(places).filter((row) => path.startsWith(row) && /^(?:$|[.[])/.test(path.slice(row.length)))
  return rows.sort((a, b) => b.length - a.length)[0]
}

/** What follows the row is told as it is. */
function rename(path: string, places: Places): string {
  const row = rowOf(path, places)
  return row === undefined ? path : places[row] + path.slice(row.length)
}

const ENTRY = /^(input|tools)\[(\d+)\]/

/**
 * A place of a Responses request in the words of who asked; null where they said nothing of it. Of a place inside an item
 * only the item is told: what stands in it has another shape there.
 */
export function toOwnPlace(
  path: string,
  places: Places,
  { itemPlaces, toolPlaces, fieldPlaces }: Origins,
): string | null {
  const row = rowOf(path, fieldPlaces)
  const own = row === undefined ? undefined : fieldPlaces[row]
  if (row !== undefined && own !== undefined) return own === null ? null : own + path.slice(row.length)
  const [entry = '', list, index] = ENTRY.exec(path) ?? []
  if (list === 'input') return itemPlaces[Number(index)] ?? places.input
  if (list === 'tools') {
    const inside = rename(`tools[]${path.slice(entry.length)}`, places).slice('tools[]'.length)
    return (toolPlaces[Number(index)] ?? entry) + inside
  }
  return rename(path, places)
}
