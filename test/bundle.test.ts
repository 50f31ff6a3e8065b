import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { WIRES } from '../src/wires/registry.ts'
import { BUNDLES, bundle } from './bundles.ts'

const SIZES: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('bundle-sizes.json', import.meta.url), 'utf8'),
)

/** A bundle may be larger than its row by this factor. A smaller one needs a smaller row, so that it stays small. */
const GROWTH = 1.1

const translatesOnly = (name: string): boolean => !['all of millrace', 'the provider of the AI SDK'].includes(name)

describe('the bundle of a program', () => {
  it('has a row in bundle-sizes.json, in KiB, minified and compressed', () => {
    expect(Object.keys(SIZES)).toEqual(Object.keys(BUNDLES))
  })

  it.each(Object.entries(BUNDLES))('is at most a tenth larger than its row: %s', async (name, contents) => {
    const { size } = await bundle(contents)
    const row = SIZES[name] ?? 0
    expect({ name, size, fits: size <= row * GROWTH && size * GROWTH >= row }).toEqual({ name, size, fits: true })
  })

  it.each(Object.entries(BUNDLES).filter(([name]) => translatesOnly(name)))(
    'contains no validator if it only translates streams: %s',
    async (_, contents) => {
      const { packages } = await bundle(contents)
      expect(packages).toEqual([])
    },
  )

  it.each(Object.values(WIRES))(
    'contains no framing of another wire, and no citations or hosted items if $name has none',
    async (wire) => {
      const { files } = await bundle(BUNDLES[`${wire.name} to openai`] ?? '')
      const readers = ['eventstream.ts', 'ndjson.ts', 'sse-or-array.ts', 'sse.ts'].filter((file) =>
        files.includes(`src/framing/${file}`),
      )
      expect(readers).toEqual([`${wire.framing.name}.ts`, ...(wire.framing.name === 'sse-or-array' ? ['sse.ts'] : [])])
      expect(files.includes('src/responses/citations.ts')).toBe(wire.citations !== undefined)
      expect(files.includes('src/responses/hosted-members.ts')).toBe(wire.hosted !== undefined)
      // A program without a server has no other work that waits for a slice, and no turns.
      const ofServers = ['src/engine/in-slices.ts', 'src/text/json-pieces.ts', 'src/engine/turns.ts']
      expect(files.filter((file) => ofServers.includes(file))).toEqual([])
      // Only the wire of the Responses API has events of hosted items.
      expect(files.includes('src/protocol/progress.ts')).toBe(wire.name === 'openai-responses')
    },
  )

  it('contains no code for requests if it only writes for the clients of a wire', async () => {
    const { files } = await bundle(BUNDLES['openai-chat to anthropic-messages'] ?? '')
    expect(files.filter((file) => /request/.test(file))).toEqual(['src/protocol/request.ts'])
  })

  it('contains only the English messages of zod if it translates requests', async () => {
    const { files } = await bundle(BUNDLES['all of millrace'] ?? '')
    expect(files.filter((name) => /zod\/.*\/locales\//.test(name))).toEqual([expect.stringMatching(/\/en\.js$/)])
  })
})
