import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { WIRES } from '../src/wires/registry.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Bundle {
  /** Minified and compressed size in KiB. */
  readonly size: number
  readonly packages: readonly string[]
  readonly files: readonly string[]
}

const made = new Map<string, Promise<Bundle>>()

/** Bundles a module with these contents as an application would, once. */
function bundle(contents: string): Promise<Bundle> {
  const known = made.get(contents) ?? bundleNow(contents)
  made.set(contents, known)
  return known
}

async function bundleNow(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: ROOT },
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    metafile: true,
    write: false,
  })
  const [output] = Object.values(metafile.outputs)
  const files = Object.entries(output?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [file] : [],
  )
  const packages = files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  const size = gzipSync(outputFiles[0]?.contents ?? '').length / 1024
  return { size: Math.round(size * 10) / 10, packages: [...new Set(packages)].sort(), files }
}

const toExport = (wire: string): string => wire.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The programs of which the bundles are measured. */
const BUNDLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(WIRES).map((wire) => [
      `${wire} to openai`,
      `export { createStreamTranslator, dialectTarget } from './src/core.ts'
       export { ${toExport(wire)}Stream } from './src/wires/${wire}/index.ts'
       export { openai } from './src/dialects/openai.ts'`,
    ]),
  ),
  'openai-chat to openai, with the fast path': `
    export { createStreamTranslator, dialectTarget, fastPath } from './src/core.ts'
    export { openaiChatStream } from './src/wires/openai-chat/index.ts'
    export { openai } from './src/dialects/openai.ts'`,
  'openai-chat to anthropic-messages': `
    export { createStreamTranslator, wireTarget } from './src/core.ts'
    export { openaiChatStream } from './src/wires/openai-chat/index.ts'
    export { anthropicMessages } from './src/wires/anthropic-messages/index.ts'`,
  'all streams by name': `export { collectResponse, streamEvents, translateStream } from './src/index.ts'`,
  'all of millrace': `export * from './src/index.ts'`,
}

const SIZES: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('bundle-sizes.json', import.meta.url), 'utf8'),
)

/** A bundle may be larger than its row by this factor. A smaller one needs a smaller row, so that it stays small. */
const GROWTH = 1.1

const translatesOnly = (name: string): boolean => name !== 'all of millrace'

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
      expect((await bundle(contents)).packages).toEqual(['eventsource-parser'])
    },
  )

  it('contains only the English messages of zod if it translates requests', async () => {
    const { files } = await bundle(BUNDLES['all of millrace'] ?? '')
    expect(files.filter((name) => /zod\/.*\/locales\//.test(name))).toEqual([expect.stringMatching(/\/en\.js$/)])
  })
})
