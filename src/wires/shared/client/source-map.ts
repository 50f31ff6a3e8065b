import type { JsonObject } from '../../../protocol/json.ts'
import type { PathMap } from '../../../protocol/source-map.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Steps } from '../../../text/steps.ts'

/**
 * A client API's names of paths in a Responses request, by the beginning of the path. `input` is the field of its
 * messages; paths inside a tool begin with `tools[]`, members of an item that it has as well with `input[]`.
 */
export interface FieldPathMap extends Readonly<Record<string, string>> {
  readonly input: string
}

/**
 * Paths of fields that a client API can express in several ways, as this request expresses them, by the beginning of
 * their path in a Responses request: `{ 'reasoning.effort': 'thinking.budget_tokens', 'tools[1].user_location': '…' }`.
 * Null marks a field that the client's request does not contain.
 */
export type FieldPaths = Readonly<Record<string, string | null>>

/** An item of a conversation and its path in the client's request: `messages[2]`, `messages[2].content[0]`. */
export interface LocatedItem {
  readonly item: JsonObject
  readonly path: string
  /** The path of each part, or those of which its one part was joined; left out where they are that of the item. */
  readonly partPaths?: readonly string[]
}

export const locateAll = (items: readonly JsonObject[], path: string): readonly LocatedItem[] =>
  items.map((item) => ({ item, path }))

/** The items of a conversation, and the paths in the client's request from which they were decoded. */
export interface LocatedConversation {
  readonly items: readonly JsonObject[]
  readonly itemPaths: readonly string[]
  /** For each item, the paths of its parts; empty where they are that of the item. */
  readonly partPaths: readonly (readonly string[])[]
}

/** Decodes messages into a conversation, each message independently. Yields between messages. */
export function* decodeEach<Message>(
  messages: readonly Message[],
  decode: (message: Message, at: number) => readonly LocatedItem[],
): Steps<LocatedConversation> {
  const found: LocatedItem[] = []
  for (let at = 0; at < messages.length; at += 1) {
    for (const item of decode(messages[at] as Message, at)) found.push(item)
    yield
  }
  return toConversation(found)
}

const NO_PATHS: readonly string[] = []

export const toConversation = (found: readonly LocatedItem[]): LocatedConversation => ({
  items: found.map(({ item }) => item),
  itemPaths: found.map(({ path }) => path),
  partPaths: found.map(({ partPaths }) => partPaths ?? NO_PATHS),
})

/** The paths in the client's request from which a wire decoded the other parts of the Responses request. */
interface SourcePaths extends Pick<LocatedConversation, 'itemPaths'> {
  /** Left out: parts have the paths of their items. */
  readonly partPaths?: LocatedConversation['partPaths']
  /** For each of `tools`: `functions[0]`, `tools[0].functionDeclarations[1]`. */
  readonly toolPaths: readonly string[]
  /** For each cache breakpoint. Left out: there are none. */
  readonly breakpoints?: ReadonlyMap<string, string>
  /** For its other fields; takes precedence over the client API's own table. */
  readonly fieldPaths: FieldPaths
}

/** Translates a path by the longest row with which it begins, and keeps the rest; undefined without such a row. */
function byRow(path: string, rows: FieldPaths): string | null | undefined {
  const found = Object.keys(rows).filter((row) => path.startsWith(row) && /^(?:$|[.[])/.test(path.slice(row.length)))
  const [row] = found.sort((a, b) => b.length - a.length)
  if (row === undefined) return undefined
  const own = rows[row] ?? null
  return own === null ? null : own + path.slice(row.length)
}

/**
 * Returns the map from paths of a decoded request to those of the client's. It is null where that request does not
 * contain the field. A path inside an item becomes the path of the part or of the item, because their fields differ in
 * the client's format, unless the client API has a name for it. `names`: the client API's own names; `paths` are those of
 * this request.
 */
export const createPathMap =
  (names: FieldPathMap, { itemPaths, partPaths = [], toolPaths, fieldPaths, breakpoints }: SourcePaths): PathMap =>
  (path) => {
    const breakpoint = breakpoints?.get(path.replace(/\.ttl$/, ''))
    if (breakpoint !== undefined) return path.endsWith('.ttl') ? `${breakpoint}.ttl` : breakpoint
    const own = byRow(path, fieldPaths)
    if (own !== undefined) return own
    const [entry = '', list, index] = /^(input|tools)\[(\d+)\]/.exec(path) ?? []
    const inside = path.slice(entry.length)
    const named = byRow(list === 'tools' ? `tools[]${inside}` : path, names) ?? path
    if (list === 'tools') return (toolPaths[Number(index)] ?? entry) + named.slice(named.indexOf(']') + 1)
    if (list !== 'input') return named
    const member = lookup(names, `input[]${inside.replace(/\[\d+\]/g, '[]')}`)
    const [, part] = /^\.(?:content|output)\[(\d+)\]/.exec(inside) ?? []
    const item = itemPaths[Number(index)] ?? names.input
    const place = part === undefined ? item : (partPaths[Number(index)]?.[Number(part)] ?? item)
    return member === undefined ? place : `${place}.${member}`
  }
