import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { COST_ROWS, partOfModule } from '../../bench/server/cost-rows.ts'

const ROOT = new URL('../../', import.meta.url)
const SOURCES = readdirSync(new URL('src', ROOT), { recursive: true }).map((name) => String(name).replaceAll('\\', '/'))

const exists = (beginning: string): boolean =>
  SOURCES.some((file) => file.startsWith(beginning)) || existsSync(new URL(`node_modules/${beginning}`, ROOT))

describe('the parts of a request in the benchmarks', () => {
  it('name only modules of the project and packages that exist', () => {
    const missing = COST_ROWS.flatMap(([, ...beginnings]) => beginnings.filter((one) => !exists(one)))
    expect(missing).toEqual([])
  })

  it.each([
    'engine/answer-context.js',
    'engine/conversation.js',
    'engine/origins.js',
    'engine/token-counts/request-size.js',
    'wires/anthropic-messages/client/request.js',
  ])('count %s, which has code for requests, for the part that calls it', (file) => {
    expect(partOfModule(file)).toBeUndefined()
  })

  it('count the machines of an answer for the answer', () => {
    expect(['engine/answer.js', 'engine/answer-driver.js', 'engine/pipeline.js'].map(partOfModule)).toEqual(
      Array.from({ length: 3 }, () => 'translate and deliver the answer'),
    )
  })
})
