import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64Url, standardBase64Url, toBase64Url } from '../../src/text/base64.ts'
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
