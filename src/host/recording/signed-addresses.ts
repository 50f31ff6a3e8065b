/** A text to mask, from `start` to `end`. It is found with the text from `from` on. */
export interface MaskedRange {
  readonly from: number
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/** The forms of a character in an address: as it is, escaped in JSON, and encoded in another address. */
const BEFORE = '(?:[?&]|\\\\u00(?:26|3f)|%(?:26|3f)|&amp;)'
const EQUALS = '(?:=|\\\\u003d|%3d)'

/** Parameters that authorize a request by themselves: those of S3, Google Cloud, Azure and of many other servers. */
const NAMES = 'x-(?:amz|goog)-(?:signature|credential|security-token)|signature|sig|token|access_token|api_?key|key'

/** The longest, a security token of AWS, has about 2,000 characters. */
const VALUE = '[^&#"\'\\s\\\\<>)\\]}]{8,4096}'

const SIGNED = new RegExp(`${BEFORE}(?:${NAMES})${EQUALS}(${VALUE})`, 'gi')

/** The values of parameters that authorize a request, in any text. */
export const signedRanges = (text: string): readonly MaskedRange[] =>
  [...text.matchAll(SIGNED)].map(({ 0: { length }, 1: value = '', index: from }) => {
    const end = from + length
    return { from, start: end - value.length, end }
  })

/** The values, as they are and as their server reads them. */
export const signedIn = (text: string): readonly string[] =>
  signedRanges(text).flatMap(({ start, end }) => {
    const value = text.slice(start, end)
    const read = readParameter(value)
    return read === value ? [value] : [value, read]
  })

function readParameter(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
