import { getOrCreate } from '../../../collections/get-or-create.ts'
import { findAll } from '../../../text/find-all.ts'
import { type BodyTree, type BodyValue, isFree, join, namesKind, pairBy, SHORTEST } from './body-tree.ts'

/** A short text is a part of another one if a longer one beside it is: the type of an image in the URL of its data. */
const SHORTEST_BESIDE = 6

const textOf = ({ value }: BodyValue): string => (typeof value === 'string' ? value : '')

/** Pairs equal texts, and joins others with those of the other body that contain them: blocks in one text, data in its URL. */
export function matchTexts(upstream: BodyTree, client: BodyTree): void {
  const freeIn = ({ values }: BodyTree): readonly BodyValue[] =>
    values.filter((one) => isFree(one) && textOf(one).length >= SHORTEST)
  pairBy(freeIn(upstream), freeIn(client), ({ id }) => id)
  joinInside(freeIn(client), freeIn(upstream))
  joinInside(freeIn(upstream), freeIn(client))
  for (const text of [...upstream.values, ...client.values]) {
    for (const { index, kind, parent } of [...text.parts]) {
      if (index !== null || kind !== 'scalar') continue
      for (const other of parent?.children ?? []) if (isShortPart(other, text)) join(text, other)
    }
  }
}

/** No character: a part with a line end could be found across the ends of two texts, which hides its place in the second. */
const BETWEEN = '\uffff'

/** Joins each part with the first longer text that contains it, in the order of the places there. */
function joinInside(parts: readonly BodyValue[], texts: readonly BodyValue[]): void {
  const byText = new Map<string, BodyValue[]>()
  for (const part of parts) getOrCreate(byText, textOf(part), () => []).push(part)
  const found = [...findAll(texts.map(textOf).join(BETWEEN), byText.keys())]
  const places = found.flatMap(([part, offsets]) => offsets.map((offset) => ({ part, offset })))
  let [at, start] = [0, 0]
  for (const { part, offset } of places.sort((one, other) => one.offset - other.offset)) {
    for (; offset > start + lengthAt(texts, at); at += 1) start += lengthAt(texts, at) + 1
    const length = lengthAt(texts, at)
    if (part.length >= length || offset + part.length > start + length) continue
    for (const own of byText.get(part) ?? []) if (isFree(own)) join(texts[at] as BodyValue, own)
    byText.delete(part)
  }
}

const lengthAt = (texts: readonly BodyValue[], at: number): number => textOf(texts[at] as BodyValue).length

function isShortPart(part: BodyValue, text: BodyValue): boolean {
  const [short, long] = [textOf(part), textOf(text)]
  if (short.length < SHORTEST_BESIDE || short.length >= long.length) return false
  return isFree(part) && !namesKind(part) && long.includes(short)
}
