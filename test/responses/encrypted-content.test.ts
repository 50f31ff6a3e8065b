import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import { createOpen, isEnvelope, type Origin, sealReasoning } from '../../src/responses/encrypted-content.ts'
import { check } from '../property.ts'
import { openReasoning } from './open-reasoning.ts'

const W: Origin = { wire: 'w', vendor: 'v', model: 'claude-opus' }

// A round trip through JSON turns -0 into 0.
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json)

describe('the envelope of encrypted reasoning', () => {
  it('returns the payload that was sealed, for any characters', () => {
    check(
      fc.property(json, (payload) => {
        expect(openReasoning(W, sealReasoning(W, payload))).toEqual(payload)
      }),
    )
    const odd = ['é', '🙂', '\ud800', '\u0000', '???>>>']
    expect(openReasoning(W, sealReasoning(W, odd))).toEqual(odd)
  })

  it('consists of characters that are safe in URLs and headers', () => {
    check(
      fc.property(json, (payload) => {
        expect(sealReasoning(W, payload)).toMatch(/^mr1\.[\w-]+$/)
      }),
    )
  })

  it('is recognised by its prefix', () => {
    expect(isEnvelope(sealReasoning(W, null))).toBe(true)
    expect(['', 'mr1', 'mr2.x', 'EqQBCgIYAhIM', ' mr1.x'].some(isEnvelope)).toBe(false)
  })

  it('accepts payloads of several hundred kilobytes', () => {
    const large = 'ab🙂'.repeat(100_000)
    expect(openReasoning(W, sealReasoning(W, large))).toBe(large)
  })

  it.each([
    { ...W, wire: 'other' },
    { ...W, vendor: 'other' },
    { ...W, model: 'gemini-3' },
  ])('is not opened for another origin: %j', (other) => {
    expect(openReasoning(other, sealReasoning(W, 1))).toBeUndefined()
  })

  it.each([
    ['claude-sonnet-4-5', 'us.anthropic.claude-opus-4-20250514-v1:0'],
    ['gpt-5.1', 'openai/o3-mini'],
    ['gemini-3-pro', 'models/gemini-2.5-flash'],
    ['house-1', 'house-2'],
  ])('is opened across models of one family: %s and %s', (one, other) => {
    expect(openReasoning({ ...W, model: other }, sealReasoning({ ...W, model: one }, 1))).toBe(1)
  })

  it.each([
    ['claude-opus-4', 'claude-sonnet-4', true],
    ['claude-opus-4', 'gpt-5', false],
    ['claude-opus-4', 'my-deploy', false],
    ['claude-opus-4', 'openrouter/auto', true],
    ['claude-opus-4', 'openrouter/auto:online', true],
    ['claude-opus-4', 'openrouter/free', true],
    ['claude-opus-4', '@preset/mine', true],
    ['claude-opus-4', 'house/automatic', false],
    ['claude-opus-4', 'openrouter/openai/gpt-5', false],
    ['house-1', 'gpt-5', false],
    ['house-1', 'other', false],
  ])('of a reported model %s is opened for %s if that is of its family, or a router: %j', (reported, model, opens) => {
    const sealed = sealReasoning({ ...W, model: '', reported }, 1)
    expect(openReasoning({ ...W, model }, sealed)).toBe(opens ? 1 : undefined)
    expect(openReasoning({ ...W, model, vendor: '' }, sealed)).toBe(opens ? 1 : undefined)
    expect(openReasoning({ ...W, model, boundary: 'b' }, sealed)).toBe(opens ? 1 : undefined)
    for (const other of [{ wire: 'other' }, { vendor: 'other' }])
      expect(openReasoning({ ...W, model, ...other }, sealed)).toBeUndefined()
  })

  it('of a deployment is opened for any model of its own vendor', () => {
    const sealed = sealReasoning({ ...W, model: '', reported: 'gpt-5', hasOwnNames: true }, 1)
    expect(openReasoning({ ...W, model: 'nova-prod' }, sealed)).toBe(1)
    expect(openReasoning({ ...W, model: 'nova-prod', vendor: '' }, sealed)).toBeUndefined()
  })

  it('is opened with a signature only by the same key and only if it is complete', () => {
    const sign = (text: string): string => createHmac('sha256', 'key').update(text).digest('hex')
    const sealed = sealReasoning(W, { a: 1 }, sign)
    expect(openReasoning(W, sealed, sign)).toEqual({ a: 1 })
    expect(openReasoning(W, sealed, (text) => `${sign(text)}0`)).toBeUndefined()
    expect(openReasoning(W, sealReasoning(W, { a: 1 }), sign)).toBeUndefined()
    for (let end = 0; end < sealed.length; end += 1)
      expect(openReasoning(W, sealed.slice(0, end), sign)).toBeUndefined()
  })

  it.each(['', 'mr1.', 'mr2.e30', 'gAAAAABo…', 'mr1.e30', 'mr1.!!!!', 'mr1.bnVsbA', 'mr1._____w'])(
    'is not opened if it is invalid: %j',
    (sealed) => {
      expect(openReasoning(W, sealed)).toBeUndefined()
    },
  )

  it('is opened by its own origin and by no other one, whatever the names are', () => {
    const name = fc.oneof(fc.constantFrom('', 'a', 'ab', 'abc', '"', 'é', 'claude-opus', 'gpt-5'), fc.string())
    const origin = fc.record({ wire: name, vendor: name, model: name })
    check(
      fc.property(origin, origin, json, (one, other, payload) => {
        const sealed = sealReasoning(one, payload)
        expect(createOpen(one)(sealed)).toEqual(payload)
        // A program that names no vendor leaves it to the other direction.
        const isNamed = one.vendor !== '' && other.vendor !== ''
        const isSame = one.wire === other.wire && (one.vendor === other.vendor || !isNamed)
        const opened = createOpen(other)(sealed)
        if (!isSame) expect(opened).toBeUndefined()
        else if (opened !== undefined) expect(opened).toEqual(payload)
      }),
      500,
    )
  })

  it('is opened by every model of its vendor if the upstream has named none', () => {
    const sealed = sealReasoning({ ...W, model: '' }, { a: 1 })
    expect(createOpen(W)(sealed)).toEqual({ a: 1 })
    expect(createOpen({ ...W, vendor: '' })(sealed)).toEqual({ a: 1 })
    expect(createOpen({ ...W, vendor: 'other' })(sealed)).toBeUndefined()
    expect(createOpen({ ...W, model: '' })(sealReasoning(W, { a: 1 }))).toBeUndefined()
  })

  it('is verified only if it begins as those of its origin do', () => {
    let verified = 0
    const open = createOpen(W, (text) => {
      verified += 1
      return `s${text.length}`
    })
    expect(open(sealReasoning({ ...W, vendor: 'other' }, { a: 1 }, () => 's'))).toBeUndefined()
    expect(verified).toBe(0)
    expect(open(sealReasoning(W, { a: 1 }, (text) => `s${text.length}`))).toEqual({ a: 1 })
    expect(verified).toBe(1)
  })

  it('is not opened if it is truncated at any character', () => {
    const sealed = sealReasoning(W, { a: 'b' })
    for (let end = 0; end < sealed.length; end += 1) expect(openReasoning(W, sealed.slice(0, end))).toBeUndefined()
  })
})
