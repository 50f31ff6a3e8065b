import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
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
export function sourceOf(specifier: string): string {
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

/** The names of the sources that find a file beside them. The others are loaded by the bundler, which is quicker. */
const ADDRESSED = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' })
  .filter(
    (name) => name.endsWith('.ts') && readFileSync(new URL(`src/${name}`, ROOT), 'utf8').includes('import.meta.url'),
  )
  .map((name) => path.basename(name, '.ts'))

/** Files beside a source resolve relative to that source, although the bundle is in another folder. */
const ownAddresses: Plugin = {
  name: 'addresses of the sources',
  setup({ onLoad }) {
    onLoad(
      { filter: new RegExp(`[\\\\/]src[\\\\/](?:.*[\\\\/])?(?:${ADDRESSED.join('|')})\\.ts$`) },
      ({ path: file }) => ({
        contents: readFileSync(file, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href)),
        loader: 'ts',
      }),
    )
  },
}

export interface Printed {
  readonly stdout: string
  readonly stderr: string
}

/**
 * Bundles a program of the documentation with only the given replacements, because one bundle starts quickly, and
 * passes its file to `use`.
 */
export async function withBundle<Result>(
  program: string,
  replacements: Readonly<Record<string, string>>,
  use: (file: string) => Promise<Result>,
): Promise<Result> {
  const contents = Object.entries(replacements).reduce((text, [from, to]) => text.replaceAll(from, to), program)
  // Inside the repository, so that packages resolve.
  const folder = await mkdtemp(path.join(fileURLToPath(ROOT), 'node_modules/.docs-'))
  try {
    const outfile = path.join(folder, 'program.mjs')
    await build({
      stdin: { contents, resolveDir: fileURLToPath(ROOT), loader: 'ts' },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'error',
      plugins: [fromSources, ownAddresses],
    })
    return await use(outfile)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Runs a program in a process of its own. */
export const runProgram = (
  program: string,
  env: Readonly<Record<string, string>> = {},
  replacements: Readonly<Record<string, string>> = {},
): Promise<Printed> =>
  withBundle(program, replacements, (file) =>
    promisify(execFile)(process.execPath, [file], {
      cwd: fileURLToPath(ROOT),
      env: { PATH: process.env.PATH, ...env },
    }),
  )

/** Returns the exports of a program. */
export const importProgram = (
  program: string,
  replacements: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> =>
  withBundle(program, replacements, (file) => import(/* @vite-ignore */ pathToFileURL(file).href))

/** All programs in `examples/`, by their file names. */
export const EXAMPLES: readonly string[] = readdirSync(new URL('examples/', ROOT)).filter((file) =>
  /\.(?:ts|mjs|py)$/.test(file),
)

export const readExample = (file: string): string => readFileSync(new URL(`examples/${file}`, ROOT), 'utf8')
