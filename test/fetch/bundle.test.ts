import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The largest script of the free plan of Workers, compressed, has 3 MiB. */
const LARGEST_KIB = 526

/** The settings of a bundle for browsers, and those of Wrangler. */
const PLATFORMS: Readonly<Record<string, BuildOptions>> = {
  browser: { platform: 'browser' },
  workerd: {
    platform: 'neutral',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['workerd', 'worker', 'browser', 'import'],
  },
}

it.each(Object.keys(PLATFORMS))(
  'the bundle for %s imports nothing of Node, and no package of the server',
  async (name) => {
    // esbuild fails at an import that the platform does not have.
    const { outputFiles, metafile } = await build({
      stdin: { contents: "export { createGateway } from './src/fetch.ts'", resolveDir: ROOT },
      absWorkingDir: ROOT,
      bundle: true,
      minify: true,
      format: 'esm',
      metafile: true,
      write: false,
      logLevel: 'silent',
      ...PLATFORMS[name],
    })
    const [output] = Object.values(metafile?.outputs ?? {})
    expect(output?.imports).toEqual([])
    const files = Object.keys(metafile?.inputs ?? {})
    expect(files).toContain('src/gateway/open-gateway.ts')
    const packages = new Set(files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []))
    for (const ofServer of ['undici', 'ws', 'prom-client', 'redis', 'commander'])
      expect(packages).not.toContain(ofServer)
    expect(files.filter((file) => /^src\/(?:host|cli|page|testing)\//.test(file))).toEqual([])
    expect(gzipSync(outputFiles?.[0]?.contents ?? '').length / 1024).toBeLessThan(LARGEST_KIB)
  },
)
