import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCallId } from '../../../src/wires/shared/upstream/call-ids.ts'
import { anyCodePoints } from '../../arbitraries/strings.ts'
import { check } from '../../property.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** FNV-1a as its authors define it, with integers of any size. */
function hashed(id: string): string {
  let hash = 0xcbf29ce484222325n
  for (let at = 0; at < id.length; at += 1)
    hash = BigInt.asUintN(64, (hash ^ BigInt(id.charCodeAt(at))) * 0x100000001b3n)
  return Array.from({ length: 9 }, (_, i) => LETTERS[Number((hash >> BigInt(i * 6)) % 62n)]).join('')
}

describe('call ids of nine letters and digits', () => {
  it('stay as they are', () => {
    expect(toCallId('aB3dE6gH9', 'nine')).toBe('aB3dE6gH9')
  })

  it('replace every other id by its hash', () => {
    expect(toCallId('call_1', 'nine')).toBe(hashed('call_1'))
    const id = anyCodePoints({ maxLength: 70 }).filter((text) => !/^[A-Za-z0-9]{9}$/.test(text))
    check(
      fc.property(id, (text) => {
        expect(toCallId(text, 'nine')).toBe(hashed(text))
      }),
      2000,
    )
  })
})
