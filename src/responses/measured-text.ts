import { EMPTY_LIST, type List, listAppend, listAt } from '../collections/list.ts'
import type { SortedSet } from '../collections/sorted-map.ts'
import type { Citation, OffsetUnit } from '../protocol/delta.ts'
import type { Annotation } from '../protocol/part.ts'
import { endsInHalf as endsInHalfOf, fromUtf16, splitsPair as splitsPairOf, toUtf16 } from '../text/offsets.ts'
import type { Steps } from '../text/steps.ts'

/** Longest block, in UTF-16 code units. No character lies in two blocks. */
const BLOCK = 1024

/** A length or an offset in every unit. */
export type Extent = Readonly<Record<OffsetUnit, number>>

interface Block {
  readonly text: string
  /** The offset at which the block begins. */
  readonly start: Extent
  /** True if each character has length 1 in every unit, so that no offset has to be counted. */
  readonly isAscii?: boolean
}

/**
 * A text that grows and can be read meanwhile: its characters are read and its offsets converted without scanning all
 * text before them, and without joining the whole text.
 *
 * Appending k characters costs O(k), reading or converting one offset O(log n). Plain JSON.
 */
export interface MeasuredText {
  readonly blocks: List<Block>
  /** The text after the blocks. */
  readonly tail: Block
}

const NO_EXTENT: Extent = { utf16: 0, 'code-point': 0, utf8: 0 }
const NO_TEXT: MeasuredText = { blocks: EMPTY_LIST, tail: { text: '', start: NO_EXTENT } }

/** Measures a text. O(n). */
export const measure = (text: string): MeasuredText => measureMore(NO_TEXT, text)

/** UTF-16 code units that are measured in one slice: a multiple of a block. */
const PIECE = 16 * BLOCK

/** `measure` in slices. */
export function* measureInSteps(text: string): Steps<MeasuredText> {
  let measured = NO_TEXT
  for (let at = 0; at < text.length; at += PIECE) {
    measured = measureMore(measured, text.slice(at, at + PIECE))
    yield
  }
  return measured
}

/** Appends a piece to the text. O(k) for a piece of k characters. */
export function measureMore(before: MeasuredText, piece: string): MeasuredText {
  const all = before.tail.text + piece
  let { blocks } = before
  let { start } = before.tail
  let at = 0
  while (all.length - at > BLOCK) {
    const text = all.slice(at, isHigh(all.charCodeAt(at + BLOCK - 1)) ? at + BLOCK - 1 : at + BLOCK)
    const end = extend(start, text)
    blocks = listAppend(blocks, { text, start, isAscii: end.utf8 - start.utf8 === text.length })
    start = end
    at += text.length
  }
  return { blocks, tail: { text: at === 0 ? all : all.slice(at), start } }
}

const ASCII = /^[\0-\x7f]*$/

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/**
 * Returns the extent with a text appended. An unpaired half of a surrogate pair counts as a character; `half`: a first
 * half precedes the text, and was counted. O(k).
 */
export function extend(before: Extent, text: string, half = false): Extent {
  if (ASCII.test(text)) return longerBy(before, text.length, text.length, text.length)
  const isSecond = half && isLow(text.charCodeAt(0))
  let points = isSecond ? -1 : 0
  let bytes = isSecond ? -2 : 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    const isPair = isHigh(unit) && isLow(text.charCodeAt(at + 1))
    if (isPair) at += 1
    points += 1
    bytes += isPair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
  }
  return longerBy(before, text.length, points, bytes)
}

const longerBy = (before: Extent, units: number, points: number, bytes: number): Extent => ({
  utf16: before.utf16 + units,
  'code-point': before['code-point'] + points,
  utf8: before.utf8 + bytes,
})

/** Returns the length in UTF-16 code units. O(1). */
export const lengthOf = ({ tail }: MeasuredText): number => tail.start.utf16 + tail.text.length

/** Returns whether the last unit is the first half of a surrogate pair, whose second half may follow. O(1). */
export const endsInHalfCharacter = ({ tail }: MeasuredText): boolean => endsInHalfOf(tail.text)

/** Returns the last block that begins at that offset or before it. */
function blockAt({ blocks, tail }: MeasuredText, offset: number, unit: OffsetUnit): Block {
  if (tail.start[unit] <= offset) return tail
  let low = 0
  let high = blocks.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((listAt(blocks, middle)?.start[unit] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return listAt(blocks, low) ?? tail
}

/** Returns the unit in which an offset inside a block is counted: in ASCII all units are the same. */
const unitIn = ({ isAscii }: Block, inside: number, unit: OffsetUnit): OffsetUnit =>
  isAscii === true && inside >= 0 && Number.isInteger(inside) ? 'utf16' : unit

/** Converts as `toUtf16` does, in O(log n). */
export function offsetIn(text: MeasuredText, offset: number, unit: OffsetUnit): number | null {
  const block = blockAt(text, offset, unit)
  const from = offset - block.start[unit]
  const inside = toUtf16(block.text, from, unitIn(block, from, unit))
  return inside === null ? null : block.start.utf16 + inside
}

/** Converts as `fromUtf16` does, in O(log n). */
export function offsetOut(text: MeasuredText, offset: number, unit: OffsetUnit): number {
  if (unit === 'utf16') return offset
  if (offset <= 0) return 0
  const block = blockAt(text, offset, 'utf16')
  const inside = offset - block.start.utf16
  return block.start[unit] + fromUtf16(block.text, inside, unitIn(block, inside, unit))
}

/** Returns whether this UTF-16 offset is between the two halves of a surrogate pair. O(log n). */
export function splitsCharacter(text: MeasuredText, offset: number): boolean {
  const block = blockAt(text, offset, 'utf16')
  return splitsPairOf(block.text, offset - block.start.utf16)
}

/** Returns whether exactly this text is between two UTF-16 offsets. O(k) for k characters. */
export function standsAt(text: MeasuredText, start: number, end: number, words: string): boolean {
  if (end - start !== words.length) return false
  for (let at = start; at < end; ) {
    const block = blockAt(text, at, 'utf16')
    const from = at - block.start.utf16
    const part = block.text.slice(from, from + end - at)
    if (part === '' || !words.startsWith(part, at - start)) return false
    at += part.length
  }
  return true
}

/** Returns the text between two UTF-16 offsets. O(k) for k characters. */
export function sliceOf(text: MeasuredText, start: number, end: number): string {
  let words = ''
  for (let at = start; at < end; ) {
    const block = blockAt(text, at, 'utf16')
    const from = at - block.start.utf16
    const part = block.text.slice(from, from + end - at)
    if (part === '') return words
    words += part
    at += part.length
  }
  return words
}

/** Index of an item, and of the part in its content. */
interface TextAddress {
  readonly item: number
  readonly part: number
}

/**
 * Texts of one key and part name in finished messages, which the spans of later citations also count. Each text is
 * measured once, when a citation arrives: O(n) altogether.
 */
export interface EarlierText {
  readonly texts: List<TextAddress>
  /** The number of measured texts, and their extent together. */
  readonly counted: number
  readonly extent: Extent
  /** Whether the measured texts end with the first half of a surrogate pair. */
  readonly half: boolean
}

const NO_EARLIER: EarlierText = { texts: EMPTY_LIST, counted: 0, extent: NO_EXTENT, half: false }

export const withEarlierText = (earlier: EarlierText = NO_EARLIER, item: number, part: number): EarlierText => ({
  texts: listAppend(earlier.texts, { item, part }),
  counted: earlier.counted,
  extent: earlier.extent,
  half: earlier.half,
})

/** Measures all texts that are not measured yet. */
export function measureEarlier(earlier: EarlierText, textAt: (address: TextAddress) => string): EarlierText {
  const { texts } = earlier
  if (earlier.counted === texts.length) return earlier
  let { counted, extent, half } = earlier
  for (; counted < texts.length; counted += 1) {
    const text = textAt(listAt(texts, counted) as TextAddress)
    if (text === '') continue
    extent = extend(extent, text, half)
    half = /[\ud800-\udbff]$/.test(text.slice(-1))
  }
  return { texts, counted, extent, half }
}

/** The data that is kept for the citations of a text. */
export interface CitedText {
  /** The same text, measured; null until a citation has to be placed in it. */
  readonly measured: MeasuredText | null
  /** Citations that cannot be placed before the part closes. */
  readonly waiting: List<Citation>
  /** The waiting sources that are searched in the whole text, by address and marker. */
  readonly linked: SortedSet<string>
  /** The waiting citations, placed ahead of the end of the text; null if not, or if either has grown since. */
  readonly placed: readonly Annotation[] | null
}

export const UNCITED: CitedText = { measured: null, waiting: EMPTY_LIST, linked: null, placed: null }

/** The same data after the text has grown. */
export function longerCited(cited: CitedText | null, text: string): CitedText | null {
  if (cited === null || cited.measured === null) return cited
  return { measured: measureMore(cited.measured, text), waiting: cited.waiting, linked: cited.linked, placed: null }
}
