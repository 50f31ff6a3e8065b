import type { CallIdStyle } from '../../quirks.ts'

const FITS = {
  short: /^[\s\S]{1,40}$/,
  long: /^[\s\S]{1,64}$/,
  nine: /^[A-Za-z0-9]{9}$/,
} as const satisfies Record<CallIdStyle, RegExp>

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Maps any id to nine letters and digits. Equal ids give equal results in every request (FNV-1a, 64 bit). */
function nineLetters(id: string): string {
  let hash = 0xcbf29ce484222325n
  for (let at = 0; at < id.length; at += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(id.charCodeAt(at))) * 0x100000001b3n)
  }
  const letters = Array.from({ length: 9 }, (_, i) => LETTERS[Number((hash >> BigInt(i * 6)) % 62n)])
  return letters.join('')
}

/** Returns a call id in the form that this vendor accepts. Equal ids stay equal, so calls and outputs still match. */
export const toCallId = (id: string, style: CallIdStyle | undefined): string =>
  style === undefined || FITS[style].test(id) ? id : nineLetters(id)
