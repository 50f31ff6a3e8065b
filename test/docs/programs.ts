import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Plugin } from 'esbuild'

export const ROOT = new URL('../../', import.meta.url)
export const HELLO = readFileSync(new URL('fixtures/openai-chat/hello.stream.sse', ROOT))
const MANIFEST: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(new URL('package.json', ROOT), 'utf8'),
)

/**
 * Returns the source file of an import path of this package. No build is needed, and other tests check exported types.
 */
function sourceOf(specifier: string): string {
  const entry = MANIFEST.exports[specifier.replace('millrace', '.')]
  const file = typeof entry === 'object' && entry !== null && 'default' in entry ? String(entry.default) : ''
  return fileURLToPath(new URL(file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'), ROOT))
}

const fromSources: Plugin = {
  name: 'from sources',
  setup({ onResolve }) {
    onResolve({ filter: /^[@\w]/ }, ({ path: specifier, kind }) => {
      if (kind === 'entry-point') return null
      const isOwn = specifier === 'millrace' || specifier.startsWith('millrace/')
      return isOwn ? { path: sourceOf(specifier) } : { path: specifier, external: true }
    })
  },
}

export interface Printed {
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of the documentation with only the given replacements, as one bundle, which starts quickly. */
export async function runProgram(
  program: string,
  env: Readonly<Record<string, string>> = {},
  replacements: Readonly<Record<string, string>> = {},
): Promise<Printed> {
  const contents = Object.entries(replacements).reduce((text, [from, to]) => text.replaceAll(from, to), program)
  // Inside the repository, so that packages resolve.
  const folder = await mkdtemp(path.join(fileURLToPath(ROOT), 'node_modules/.docs-'))
  try {
    const outfile = path.join(folder, 'program.mjs')
    await build({
      stdin: { contents, resolveDir: fileURLToPath(ROOT) },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'error',
      plugins: [fromSources],
      // Files beside the sources resolve relative to this URL, because the bundle is in another folder.
      define: { 'import.meta.url': JSON.stringify(new URL('src/host/upstream/program.ts', ROOT).href) },
    })
    return await promisify(execFile)(process.execPath, [outfile], {
      cwd: fileURLToPath(ROOT),
      env: { PATH: process.env.PATH, ...env },
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

export const readExample = (name: string): string => readFileSync(new URL(`examples/${name}.mjs`, ROOT), 'utf8')
