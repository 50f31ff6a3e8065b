import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ALL_FIXTURES } from '../../translated.ts'
import { encodeTwin } from './twins.ts'

const FIXTURES = ALL_FIXTURES.filter(({ wire }) => wire.name === 'bedrock-converse')

describe('the binary fixtures', () => {
  it('are there', () => {
    expect(FIXTURES.length).toBeGreaterThanOrEqual(8)
  })

  it.each(FIXTURES)('$name is what its readable twin says', ({ stream, at }) => {
    expect(encodeTwin(readFileSync(at('stream.ndjson'), 'utf8'))).toEqual(stream)
  })
})
