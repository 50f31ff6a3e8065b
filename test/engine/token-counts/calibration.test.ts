import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Calibration, createCalibration } from '../../../src/engine/token-counts/calibration.ts'
import type { RequestSize } from '../../../src/engine/token-counts/request-size.ts'
import { check } from '../../property.ts'

const UPSTREAM = { vendor: 'acme', model: 'm' }
const size = (text: number, tools = 0): RequestSize => ({
  entries: 2,
  text,
  tools,
  toolText: tools * 40,
  media: 0,
  isWhole: true,
})
const learned = (counts: readonly (readonly [RequestSize, number])[], upstream = UPSTREAM): Calibration => {
  const calibration = createCalibration()
  for (const [counted, tokens] of counts) calibration.learn(upstream, { size: counted, tokens })
  return calibration
}

describe('a calibration', () => {
  it('learns the prompt that a vendor adds, and its tokens of a text, from five answers', () => {
    const tokensOf = ({ text, tools }: RequestSize): number => 300 + 1.3 * text + (tools > 0 ? 500 + tools * 60 : 0)
    const seen = [size(20), size(400), size(90, 2), size(1000, 5), size(4000)]
    const calibration = learned(seen.map((one) => [one, tokensOf(one)]))
    for (const one of [size(60), size(700), size(300, 3), size(2500, 4)]) {
      const { tokens, basis, answers } = calibration.estimate(UPSTREAM, one)
      expect([basis, answers]).toEqual(['model', 5])
      expect(Math.abs(tokens / tokensOf(one) - 1)).toBeLessThan(0.1)
    }
  })

  it('is hardly moved by a single odd count', () => {
    const counts = [20, 50, 100, 300, 800].map((text) => [size(text), text + 10] as const)
    const before = learned(counts).estimate(UPSTREAM, size(500)).tokens
    const after = learned([...counts, [size(500), 9000]]).estimate(UPSTREAM, size(500)).tokens
    expect(Math.abs(after / before - 1)).toBeLessThan(0.1)
  })

  it('keeps models and vendors apart, and uses other models of the vendor for a new one', () => {
    const calibration = learned([20, 50, 100, 300, 800].map((text) => [size(text), 2 * text + 900] as const))
    const other = calibration.estimate({ vendor: 'other', model: 'm' }, size(200))
    expect(other).toEqual(createCalibration().estimate(UPSTREAM, size(200)))
    expect(other).toMatchObject({ basis: 'default', answers: 0 })
    const sibling = calibration.estimate({ vendor: 'acme', model: 'n' }, size(200))
    expect(sibling).toMatchObject({ basis: 'vendor', answers: 5 })
    expect(sibling.tokens).toBeGreaterThan(other.tokens)
    // The prompts that a vendor adds may be the same for all of its models; the tokens of a text are not.
    const long = calibration.estimate({ vendor: 'acme', model: 'n' }, size(20_000)).tokens
    expect(long / createCalibration().estimate(UPSTREAM, size(20_000)).tokens).toBeCloseTo(1.1, 0)
  })

  it('follows a model that changes', () => {
    const counts = Array.from({ length: 64 }, (_, at) => [size(100 + at), (at < 32 ? 1 : 3) * (100 + at)] as const)
    expect(learned(counts).estimate(UPSTREAM, size(130)).tokens / 390).toBeCloseTo(1, 1)
  })

  it('measures every answer at first, and later one of eight', () => {
    const calibration = createCalibration()
    const wanted = Array.from({ length: 32 + 24 }, () => {
      const wants = calibration.wants(UPSTREAM)
      if (wants) calibration.learn(UPSTREAM, { size: size(10), tokens: 20 })
      return wants
    })
    expect(wanted.slice(0, 32)).not.toContain(false)
    expect(wanted.slice(32).filter(Boolean)).toHaveLength(3)
  })

  it('measures one of eight answers after eight that taught nothing, and every one again after one that did', () => {
    const calibration = createCalibration()
    const ask = (): boolean => {
      const wants = calibration.wants(UPSTREAM)
      if (wants) calibration.miss(UPSTREAM)
      return wants
    }
    const wanted = Array.from({ length: 8 + 24 }, ask)
    expect(wanted.slice(0, 8)).not.toContain(false)
    expect(wanted.slice(8).filter(Boolean)).toHaveLength(3)
    expect(calibration.estimate(UPSTREAM, size(10))).toMatchObject({ basis: 'default', answers: 0 })
    calibration.learn(UPSTREAM, { size: size(10), tokens: 20 })
    expect(calibration.wants(UPSTREAM)).toBe(true)
  })

  it('forgets the model that answered least recently, of five hundred, and learns no long names', () => {
    const calibration = createCalibration()
    const at = (model: string) => ({ vendor: 'acme', model })
    for (let one = 0; one <= 500; one += 1) calibration.learn(at(`m${one}`), { size: size(10), tokens: 20 })
    expect(calibration.estimate(at('m0'), size(10)).basis).toBe('vendor')
    expect(calibration.estimate(at('m1'), size(10)).basis).toBe('model')
    for (let one = 0; one < 500; one += 1) calibration.miss(at(`n${one}`))
    expect(calibration.estimate(at('m500'), size(10)).basis).toBe('vendor')
    expect([calibration.wants(at('x'.repeat(256))), calibration.wants(at('x'.repeat(257)))]).toEqual([true, false])
  })

  it('estimates a whole number above 0 that grows with the text, whatever was reported', () => {
    const count = fc.integer({ min: 0, max: 100_000 })
    const counted = fc.tuple(count, fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 2_000_000 }))
    check(
      fc.property(fc.array(counted, { maxLength: 40 }), count, count, (seen, text, more) => {
        const calibration = learned(seen.map(([words, tools, tokens]) => [size(words, tools), tokens]))
        const [less, most] = [text, text + more].map((words) => calibration.estimate(UPSTREAM, size(words)).tokens)
        expect(Number.isSafeInteger(less)).toBe(true)
        expect(less).toBeGreaterThanOrEqual(1)
        expect(most).toBeGreaterThanOrEqual(less ?? Number.NaN)
      }),
      100,
    )
  })
})
