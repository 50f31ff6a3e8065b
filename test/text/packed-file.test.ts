import { execFileSync } from 'node:child_process'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { describePacked } from '../../src/text/packed-file.ts'
import { ALL_FIXTURES } from '../engine/run-engine.ts'

const TEXT = Buffer.from('data: {"choices":[]}\n\n'.repeat(40))
const bytes = (hex: string): Buffer => Buffer.concat([Buffer.from(hex, 'hex'), TEXT])

describe('the bytes of a file', () => {
  it.each([
    ['gzip', gzipSync(TEXT)],
    ['gzip', gzipSync(TEXT, { level: 1 })],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateSync(TEXT, { level: 9 })],
    ['zstd', bytes('28b52ffd')],
    ['bzip2', bytes('425a6839')],
    ['xz', bytes('fd377a585a00')],
    ['lz4', bytes('04224d18')],
    ['ZIP', bytes('504b0304')],
    ['7z', bytes('377abcaf271c')],
    ['RAR', bytes('526172211a07')],
    ['tar', execFileSync('tar', ['-c', '-f', '-', 'package.json'])],
  ])('name the format %s, with a remedy', (name, packed) => {
    expect(describePacked(packed)).toMatch(new RegExp(`^is .*${name}.*\\. (?:Decompress|Unpack) it first`))
    expect(describePacked(packed.subarray(0, 1))).toBe(null)
  })

  it('name no format for recordings, texts that begin like one, and Brotli, which has no signature', () => {
    const fixtures = ALL_FIXTURES.filter(({ stream }) => describePacked(stream) !== null)
    expect(fixtures.map(({ name }) => name)).toEqual([])
    for (const text of ['', 'PK', 'x\u009c', `${'a'.repeat(257)}ustar is a word`])
      expect([text, describePacked(Buffer.from(text))]).toEqual([text, null])
    expect(describePacked(brotliCompressSync(TEXT))).toBe(null)
  })
})
