import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../src/conformance/rules.ts'
import { FRAME_RULES } from '../../src/dialects/check-sse.ts'
import { CHECK_RULES, checkStream, detectDialect } from '../../src/dialects/check-stream.ts'
import { anyCodePoints } from '../arbitraries/strings.ts'
import { check } from '../property.ts'
import { KINDS } from '../responses/response-events.ts'
import { BETA, beta, corrupted, OPENAI, of, openai, rulesOf, textOf, toEvents } from './written-json.ts'

describe('the rules of the check', () => {
  it('are exactly those of bytes, fields and grammar', () => {
    const names = [...Object.keys(FRAME_RULES), 'fields', 'sequence', ...Object.keys(RULES)]
    expect(Object.keys(CHECK_RULES).sort()).toEqual(names.sort())
  })

  it('report the index of the event that breaks them', () => {
    const broken = corrupted(OPENAI, openai, (e) => (of(e, 'response.output_text.delta').item_id = 'msg_9'))
    const [first] = checkStream(broken, openai)
    expect(toEvents(broken)[first?.event ?? -1].type).toBe('response.output_text.delta')
  })
})

describe('detectDialect of a stream', () => {
  it.each([
    ['event lines', 'event: x\n\n', openai],
    ['numbers', 'data: {"type":"response.created","sequence_number":0}\n\n', openai],
    ['a standard name', 'data: {"type":"response.output_text.delta"}\n\n', openai],
    ['a name of both', 'data: {"type":"response.created"}\n\n', beta],
    ['nothing', '', beta],
    ['nonsense', 'data: {"type":{"toString":1}}\n\ndata: null\n\ndata: }', beta],
  ] as const)('detects the dialect from %s', (_, text, dialect) => {
    expect(detectDialect(text)).toBe(dialect)
  })

  it('detects each dialect from a complete stream', () => {
    expect(detectDialect(OPENAI)).toBe(openai)
    expect(detectDialect(BETA)).toBe(beta)
  })
})

describe('properties of the check', () => {
  const kinds = fc.array(fc.constantFrom(...KINDS.filter((kind) => kind !== 'raw-reasoning')), { maxLength: 4 })

  it('reports a violation if any frame is dropped from a numbered stream', () => {
    check(
      fc.property(kinds, fc.nat(), (list, pick) => {
        const frames = textOf(openai, list).split('\n\n').slice(0, -2)
        frames.splice(pick % frames.length, 1)
        expect(rulesOf(frames.map((frame) => `${frame}\n\n`).join(''), openai)).not.toEqual([])
      }),
    )
  })

  it('reports a violation if a file is cut anywhere', () => {
    check(
      fc.property(fc.nat(), (pick) => {
        expect(rulesOf(BETA.slice(0, pick % BETA.length), beta)).not.toEqual([])
      }),
    )
  })

  it('never throws, whatever the file contains', () => {
    const junk = anyCodePoints()
    const damaged = fc.tuple(fc.constantFrom(OPENAI, BETA), fc.nat(), fc.nat({ max: 20 }), junk)
    const text = damaged.map(([whole, at, length, put]) => {
      const from = at % whole.length
      return whole.slice(0, from) + put + whole.slice(from + length)
    })
    check(
      fc.property(fc.oneof(junk, text), (any) => {
        expect(() => [checkStream(any, openai), checkStream(any, beta), detectDialect(any)]).not.toThrow()
      }),
    )
  })
})
