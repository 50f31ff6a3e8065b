import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64, fromBase64Url, standardBase64Url, toBase64, toBase64Url } from '../../src/text/base64.ts'
import { hostile } from '../arbitraries/strings.ts'
import { check } from '../property.ts'

describe('base64url of any text', () => {
  it('is the same from the native and from the portable implementation', () => {
    check(
      fc.property(hostile, (text) => {
        expect(toBase64Url(text)).toBe(standardBase64Url(text))
        expect(fromBase64Url(toBase64Url(`{${text}`))).toBe(
          new TextDecoder().decode(new TextEncoder().encode(`{${text}`)),
        )
      }),
      500,
    )
    const long = '\u00fc\u{1f642}a'.repeat(20_000)
    expect(toBase64Url(long)).toBe(standardBase64Url(long))
  })
})

/** By the bytes alone. */
function decodeBytes(letters: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

const decode = (letters: string): string | null => {
  try {
    return fromBase64(letters)
  } catch {
    return null
  }
}

describe('the text of base64', () => {
  it('is that of its bytes, for texts, for other bytes and for letters that are not base64', () => {
    const anyBytes = fc.uint8Array({ maxLength: 40 }).map((bytes) => btoa(String.fromCharCode(...bytes)))
    check(
      fc.property(fc.oneof(hostile.map(toBase64), anyBytes, hostile), (letters) => {
        expect(decode(letters)).toBe(decodeBytes(letters))
      }),
      1000,
    )
    const marked = toBase64('\ufeffa')
    expect(decode(marked)).toBe(decodeBytes(marked))
  })
})
