import type { CallIdStyle } from '../../quirks.ts'

const FITS = {
  short: /^[\s\S]{1,40}$/,
  long: /^[\s\S]{1,64}$/,
  nine: /^[A-Za-z0-9]{9}$/,
} as const satisfies Record<CallIdStyle, RegExp>

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Maps any id to nine letters and digits. Equal ids give equal results in every request (FNV-1a, 64 bit in two halves). */
function nineLetters(id: string): string {
  let [high, low] = [0xcbf29ce4, 0x84222325]
  for (let at = 0; at < id.length; at += 1) {
    low = (low ^ id.charCodeAt(at)) >>> 0
    // The prime is 2 ** 40 + 435.
    const product = low * 435
    high = (high * 435 + low * 256 + Math.floor(product / 2 ** 32)) >>> 0
    low = product >>> 0
  }
  let letters = ''
  for (let shift = 0; shift < 54; shift += 6) {
    const rest = shift < 32 ? (high % 62) * 2 ** (32 - shift) + (low >>> shift) : high >>> (shift - 32)
    letters += LETTERS.charAt(rest % 62)
  }
  return letters
}

/** Returns a call id in the form that this vendor accepts. Equal ids stay equal, so calls and outputs still match. */
export const toCallId = (id: string, style: CallIdStyle | undefined): string =>
  style === undefined || FITS[style].test(id) ? id : nineLetters(id)
