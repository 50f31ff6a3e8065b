import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { createTranslation, emptyAnswer } from '../../src/engine/translation.ts'
import { parseJson } from '../../src/text/json.ts'
import { optionsOf } from './run-engine.ts'

const chunk = (choice: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`
const TEXT = chunk({ delta: { content: 'Hi' } })
const stopped = (finish_reason: string): string => `${TEXT}${chunk({ delta: {}, finish_reason })}data: [DONE]\n\n`

const ANSWERS = [
  ['a completed answer', stopped('stop'), 1_800_000_009],
  ['an incomplete answer', stopped('length'), null],
  ['a failed answer', TEXT, null],
] as const

const lastOf = (bytes: Uint8Array): unknown => {
  const lines = new TextDecoder().decode(bytes).split('\n')
  const last = lines.findLast((line) => line.startsWith('data: {') && line.includes('"completed_at"'))
  return parseJson(last?.slice('data: '.length) ?? '')
}

describe.each(Object.values(DIALECTS))('completed_at in $name', (dialect) => {
  const options = { ...optionsOf(dialect), now: () => 1_800_000_009_400 }
  const { slice: _, ...unsliced } = { slice: 4, ...options }

  it.each(ANSWERS)('is the time of the end, or null: %s', (_what, text, expected) => {
    const bytes = new TextEncoder().encode(text)
    const stream = createTranslation({ ...options, lend: false })
    const written = Buffer.concat([stream.push(bytes), stream.push('end')])
    expect(lastOf(written)).toMatchObject({ response: { completed_at: expected } })
    for (const each of [unsliced, { ...unsliced, slice: 4 }]) {
      const collector = createBodyCollector(each)
      collector.push(bytes)
      while (collector.busy()) collector.resume()
      collector.push('end')
      expect(collector.body().completed_at).toBe(expected)
      expect(collector.outcome().answer?.completed_at).toBe(expected)
    }
  })

  it('is the time of an answer without an upstream', () => {
    expect(lastOf(emptyAnswer(options))).toMatchObject({ response: { completed_at: 1_800_000_009 } })
  })

  it('is null without a clock', () => {
    const stream = createTranslation({ ...optionsOf(dialect), lend: false })
    stream.push(new TextEncoder().encode(stopped('stop')))
    stream.push('end')
    expect(stream.outcome().answer?.completed_at).toBeNull()
  })
})
