import type { JsonObject } from '../protocol/json.ts'

/**
 * What a family calls the places of a Responses request, by the beginning of their paths. `input` is its messages; what
 * stands inside a tool begins with `tools[]`.
 */
export interface Places extends Readonly<Record<string, string>> {
  readonly input: string
}

/** The items of a conversation, and of each the index of the message that it came from. */
export interface Conversation {
  readonly items: readonly JsonObject[]
  readonly origins: readonly number[]
}

/** `perMessage`: what each message became. */
export const toConversation = (perMessage: readonly (readonly JsonObject[])[]): Conversation => ({
  items: perMessage.flat(),
  origins: perMessage.flatMap((items, at) => items.map(() => at)),
})

/** Where the parts of a request stood before a wire made a Responses request of them. */
export interface Origins {
  /** Of each item of `input`, the index of the message that it came from. */
  readonly origins: readonly number[]
  /** Of each of `tools`, the place in its client's words: `functions[0]`, `tools[0].functionDeclarations[1]`. */
  readonly toolPlaces: readonly string[]
}

/** The longest row that a path begins with; what follows it is told as it is. */
function rename(path: string, places: Places): string {
  const rows = Object.keys(places).filter((row) => path.startsWith(row) && /^(?:$|[.[])/.test(path.slice(row.length)))
  const [row] = rows.sort((a, b) => b.length - a.length)
  return row === undefined ? path : places[row] + path.slice(row.length)
}

const ENTRY = /^(input|tools)\[(\d+)\]/

/**
 * A place of a Responses request in the words of who asked. Of a place inside an item only the message is told: what
 * stands in it has another shape there.
 */
export function toOwnPlace(path: string, places: Places, { origins, toolPlaces }: Origins): string {
  const [entry = '', list, index] = ENTRY.exec(path) ?? []
  if (list === 'input') {
    const origin = origins[Number(index)]
    return origin === undefined ? places.input : `${places.input}[${origin}]`
  }
  if (list === 'tools') {
    const inside = rename(`tools[]${path.slice(entry.length)}`, places).slice('tools[]'.length)
    return (toolPlaces[Number(index)] ?? entry) + inside
  }
  return rename(path, places)
}
