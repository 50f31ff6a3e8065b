import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the command line of this checkout in one file, which starts in a quarter of the time. */
    readonly program: string
  }
}

const at = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** A command line in one file. */
interface BundledProgram {
  readonly path: string
  remove(): Promise<void>
}

export async function bundleProgram(): Promise<BundledProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  // The depth of the modules that look for the recordings beside the package.
  const outfile = join(folder, 'dist/host/upstream/millrace.mjs')
  await mkdir(dirname(outfile), { recursive: true })
  await symlink(at('fixtures'), join(folder, 'fixtures'))
  await build({
    entryPoints: [at('src/cli/main.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // The server bundles the page with it in a checkout.
    external: ['esbuild'],
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return { path: outfile, remove: () => rm(folder, { recursive: true }) }
}

/** Bundles the command line once for all tests that run it in processes of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { path, remove } = await bundleProgram()
  project.provide('program', path)
  return remove
}
