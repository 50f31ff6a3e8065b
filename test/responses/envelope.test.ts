import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import { openReasoning, sealReasoning } from '../../src/responses/envelope.ts'
import { check } from '../property.ts'

// -0 is 0 in JSON.
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json)

describe('the envelope of reasoning', () => {
  it('gives back what was sealed, whatever letters are in it', () => {
    check(
      fc.property(json, (payload) => {
        expect(openReasoning('w', sealReasoning('w', payload))).toEqual(payload)
      }),
    )
    const odd = ['é', '🙂', '\ud800', '\u0000', '???>>>']
    expect(openReasoning('w', sealReasoning('w', odd))).toEqual(odd)
  })

  it('is of letters that go everywhere', () => {
    check(
      fc.property(json, (payload) => {
        expect(sealReasoning('w', payload)).toMatch(/^mr1\.[\w-]+$/)
      }),
    )
  })

  it('takes large payloads', () => {
    const large = 'ab🙂'.repeat(100_000)
    expect(openReasoning('w', sealReasoning('w', large))).toBe(large)
  })

  it('is not opened by another wire', () => {
    expect(openReasoning('v', sealReasoning('w', 1))).toBeUndefined()
  })

  it.each(['', 'mr1.', 'mr2.e30', 'gAAAAABo…', 'mr1.e30', 'mr1.!!!!', 'mr1.bnVsbA', 'mr1._____w'])(
    'is not %j',
    (sealed) => {
      expect(openReasoning('w', sealed)).toBeUndefined()
    },
  )

  it('is not opened when cut', () => {
    const sealed = sealReasoning('w', { a: 'b' })
    for (let end = 0; end < sealed.length; end += 1) expect(openReasoning('w', sealed.slice(0, end))).toBeUndefined()
  })
})
