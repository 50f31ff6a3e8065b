import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RequestBlock } from '../../../../src/wires/bedrock-converse/json.ts'
import { addCachePoint } from '../../../../src/wires/bedrock-converse/upstream/cache-points.ts'
import { check } from '../../../property.ts'

/** Bedrock rejects two points side by side, one before all blocks, and one directly after a document that is no PDF. */

const document = (format: 'pdf' | 'txt'): RequestBlock => ({
  document: { format, name: 'd', source: { bytes: 'eA==' } },
})

const BLOCKS: Readonly<Record<'text' | 'pdf' | 'txt' | 'none', readonly RequestBlock[]>> = {
  text: [{ text: 'x' }],
  pdf: [document('pdf')],
  txt: [document('txt')],
  none: [],
}

const parts = fc.array(
  fc.record({
    kind: fc.constantFrom('text' as const, 'pdf' as const, 'txt' as const, 'none' as const),
    ttl: fc.constantFrom(undefined, null, '5m' as const, '1h' as const),
  }),
  { maxLength: 8 },
)

it('each breakpoint of a message is a point where Bedrock accepts one, or a loss', () => {
  check(
    fc.property(parts, (all) => {
      const blocks: RequestBlock[] = []
      const losses = all.flatMap(({ kind, ttl }, at) => {
        blocks.push(...BLOCKS[kind])
        const breakpoint = ttl === undefined ? null : { mode: 'explicit' as const, ttl }
        return addCachePoint(blocks, { prompt_cache_breakpoint: breakpoint }, `content[${at}]`)
      })
      const isPoint = (block: RequestBlock | undefined): boolean => block !== undefined && 'cachePoint' in block
      for (const [at, block] of blocks.entries()) {
        if (!isPoint(block)) continue
        const before = blocks[at - 1]
        expect(before).toBeDefined()
        expect(isPoint(before)).toBe(false)
        expect(before !== undefined && 'document' in before && before.document.format !== 'pdf').toBe(false)
      }
      const asked = all.filter(({ ttl }) => ttl !== undefined)
      expect(blocks.filter(isPoint).length + losses.length).toBe(asked.length)
      const hours = blocks.filter((block) => 'cachePoint' in block && block.cachePoint.ttl === '1h').length
      expect(hours).toBeLessThanOrEqual(asked.filter(({ ttl }) => ttl === '1h').length)
    }),
    500,
  )
})
