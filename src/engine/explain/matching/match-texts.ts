import type { Json } from '../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../protocol/limits.ts'
import { isObject, parseJson } from '../../../text/json.ts'
import { type BodyTree, type BodyValue, namesKind, type TreeReader } from './body-tree.ts'
import type { GrowingMatching } from './matching.ts'
import { findInside, SHORTEST } from './text-search.ts'

/** A short text is a part of another one if a longer one beside it is: the type of an image in the URL of its data. */
const SHORTEST_BESIDE = 6

const freeIn = ({ isFree, isSettled }: GrowingMatching, { values }: BodyTree): readonly BodyValue[] => {
  const found: BodyValue[] = []
  for (let at = 0; at < values.length; ) {
    const value = values[at] as BodyValue
    if (isFree(value)) found.push(value)
    at = isSettled(value) ? value.end : at + 1
  }
  return found
}

const textOf = ({ value }: BodyValue): string => (typeof value === 'string' ? value : '')

/** The id of the value that a text is as JSON; null for any other value, also for a list or an object that is nested too deep. */
export function parsedId(node: BodyValue, reader: TreeReader): number | null {
  const text = textOf(node)
  const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  return (isObject(parsed) || Array.isArray(parsed)) && isShallow(text) ? reader.idOf(parsed as Json) : null
}

/** Whether a text has few enough brackets in each other, also in its strings. */
function isShallow(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > MAX_LENGTHS.nesting) return false
  }
  return true
}

/** Pairs equal texts, and joins others with the longer ones of the other body that contain them: blocks in one text, data in its URL. */
export function matchContainedTexts(matching: GrowingMatching): void {
  const { upstream, client, isFree } = matching
  const longIn = (tree: BodyTree): readonly BodyValue[] =>
    freeIn(matching, tree).filter((node) => textOf(node).length >= SHORTEST)
  const joinAll = (parts: readonly BodyValue[], texts: readonly BodyValue[]): void => {
    const found = findInside(parts.map(textOf), texts.map(textOf))
    const joins = found.flatMap((place, at) => (place === null ? [] : [{ ...place, part: parts[at] as BodyValue }]))
    for (const { part, text } of joins.sort((one, other) => one.text - other.text || one.offset - other.offset)) {
      if (isFree(part)) matching.join(texts[text] as BodyValue, part)
    }
  }
  const equal = new Map(longIn(client).map((text) => [textOf(text), text]))
  for (const text of longIn(upstream)) {
    const source = equal.get(textOf(text))
    if (source !== undefined && isFree(source)) matching.pairEqual(text, source)
  }
  joinAll(longIn(client), longIn(upstream))
  joinAll(longIn(upstream), longIn(client))
}

/** Joins short texts with the text that contains a longer one beside them. */
export function matchShortParts(matching: GrowingMatching): void {
  for (const tree of [matching.upstream, matching.client]) {
    for (const text of tree.values) {
      for (const { index, kind, parent } of [...matching.partsOf(text)]) {
        if (index !== null || kind !== 'scalar') continue
        for (const other of parent?.children ?? []) if (isShortPart(matching, other, text)) matching.join(text, other)
      }
    }
  }
}

function isShortPart({ isFree }: GrowingMatching, part: BodyValue, text: BodyValue): boolean {
  const [short, long] = [textOf(part), textOf(text)]
  if (short.length < SHORTEST_BESIDE || short.length >= long.length) return false
  return isFree(part) && !namesKind(part) && long.includes(short)
}
