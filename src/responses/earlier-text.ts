import { EMPTY_LIST, type List, listAppend, listAt } from '../machine/list.ts'
import { type Extent, extend, NO_EXTENT } from './measured-text.ts'

/** Index of an item, and of the part in its content. */
interface TextPlace {
  readonly item: number
  readonly part: number
}

/**
 * Texts of one key and part name in messages that are done, which the spans of later citations count, too. They are
 * measured when a citation comes, each once: O(n) altogether.
 */
export interface EarlierText {
  readonly places: List<TextPlace>
  /** How many of them are measured, and how long these are together. */
  readonly counted: number
  readonly extent: Extent
  /** What was measured ends with the first half of a character. */
  readonly half: boolean
}

const NO_EARLIER: EarlierText = { places: EMPTY_LIST, counted: 0, extent: NO_EXTENT, half: false }

export const withPlace = (earlier: EarlierText = NO_EARLIER, item: number, part: number): EarlierText => ({
  places: listAppend(earlier.places, { item, part }),
  counted: earlier.counted,
  extent: earlier.extent,
  half: earlier.half,
})

/** The same with all of them measured. */
export function measureEarlier(earlier: EarlierText, textAt: (place: TextPlace) => string): EarlierText {
  const { places } = earlier
  if (earlier.counted === places.length) return earlier
  let { counted, extent, half } = earlier
  for (; counted < places.length; counted += 1) {
    const text = textAt(listAt(places, counted) as TextPlace)
    if (text === '') continue
    extent = extend(extent, text, half)
    half = /[\ud800-\udbff]$/.test(text.slice(-1))
  }
  return { places, counted, extent, half }
}
