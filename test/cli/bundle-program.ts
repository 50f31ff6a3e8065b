import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Bundles the command line of this checkout into one file of a folder, which starts quickly. Resolves with its path. */
export async function bundleProgram(folder: string): Promise<string> {
  const outfile = path.join(folder, 'millrace.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // The server bundles the page with it, where it is installed.
    external: ['esbuild'],
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return outfile
}
