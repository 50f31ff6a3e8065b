import { EMPTY_LIST, type List, listAppend, listAt } from '../machine/list.ts'
import { type Extent, extend, NO_EXTENT } from './measured-text.ts'

/** Index of an item, and of the part in its content. */
interface TextPlace {
  readonly item: number
  readonly part: number
}

/**
 * Texts of one key and part name in finished messages, which the spans of later citations also count. Each text is
 * measured once, when a citation arrives: O(n) altogether.
 */
export interface EarlierText {
  readonly places: List<TextPlace>
  /** The number of measured texts, and their extent together. */
  readonly counted: number
  readonly extent: Extent
  /** Whether the measured texts end with the first half of a surrogate pair. */
  readonly half: boolean
}

const NO_EARLIER: EarlierText = { places: EMPTY_LIST, counted: 0, extent: NO_EXTENT, half: false }

export const withPlace = (earlier: EarlierText = NO_EARLIER, item: number, part: number): EarlierText => ({
  places: listAppend(earlier.places, { item, part }),
  counted: earlier.counted,
  extent: earlier.extent,
  half: earlier.half,
})

/** Measures all texts that are not measured yet. */
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
