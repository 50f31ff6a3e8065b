import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ALL_FIXTURES } from '../../../engine/run-engine.ts'
import { encodeTwin } from '../twins.ts'

const FIXTURES = ALL_FIXTURES.filter(({ wire }) => wire.name === 'bedrock-converse')

describe('the binary fixtures of bedrock-converse', () => {
  it('are at least eight files', () => {
    expect(FIXTURES.length).toBeGreaterThanOrEqual(8)
  })

  it.each(FIXTURES)('equal the bytes of their readable twin: $name', ({ stream, at }) => {
    expect(encodeTwin(readFileSync(at('stream.ndjson'), 'utf8'))).toEqual(stream)
  })
})
