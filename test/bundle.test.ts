import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { WIRES } from '../src/wires/registry.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Bundle {
  /** Minified size in KiB. */
  readonly size: number
  /** Size of each bundled package in KiB. */
  readonly packages: Readonly<Record<string, number>>
  readonly files: readonly string[]
}

/** Bundles a module with these contents as an application would. */
async function bundle(contents: string): Promise<Bundle> {
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
  const packages: Record<string, number> = {}
  for (const [file, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]
    if (name !== undefined) packages[name] = (packages[name] ?? 0) + bytesInOutput / 1024
  }
  const size = (outputFiles[0]?.contents.length ?? 0) / 1024
  const files = Object.entries(output?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [file] : [],
  )
  return { size, packages, files }
}

const toExport = (wire: string): string => wire.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

describe('a bundle of parts of this package', () => {
  it.each(Object.keys(WIRES))('translates streams of %s without zod', async (wire) => {
    const { size, packages } = await bundle(`
      export { translate } from './src/engine/translate.ts'
      export { beta } from './src/dialects/beta.ts'
      export { ${toExport(wire)} } from './src/wires/${wire}/index.ts'
    `)
    expect(Object.keys(packages)).toEqual(['eventsource-parser'])
    expect(size).toBeLessThan(190)
  })

  it.each(['validation/request.ts', 'index.ts'])('contains only the English messages of zod for %s', async (file) => {
    const { packages, files } = await bundle(`export * from './src/${file}'`)
    expect(files.filter((name) => /zod\/.*\/locales\//.test(name))).toEqual([expect.stringMatching(/\/en\.js$/)])
    expect(packages.zod).toBeLessThan(140)
  })
})
