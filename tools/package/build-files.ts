/**
 * Turns the modules that `tsc` has written into the files of the package: a part of `npm pack`. After `npm run build`, `dist/`
 * has each module as its own file.
 *
 * - Modules that a program bundles one by one (`core`, wires, dialects) stay modules, without comments:
 *   a bundler leaves out whole files, and with chunks a program of one wire would be half as large again.
 * - Everything else, which the server and the command line load, becomes entries and their chunks in `dist/`.
 * - Chunks that only hand on the exports of another one are left out.
 * - Declarations that no entry reaches are removed.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, transform } from 'esbuild'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DIST = join(ROOT, 'dist')
const PROGRAM = 'cli/main.js'

interface PackageEntry {
  readonly types?: string
  readonly default?: string
}

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, PackageEntry | string>>
}
const entries = Object.entries(exports).flatMap(([name, entry]) => (typeof entry === 'string' ? [] : [{ name, entry }]))
const filesOf = (kind: keyof PackageEntry, isWanted = (_: string): boolean => true): readonly string[] =>
  entries
    .filter(({ name }) => isWanted(name))
    .flatMap(({ entry }) => entry[kind] ?? [])
    .map((file) => join(ROOT, file))

const IMPORTS = /(?:from |import |import\()(['"])(\.[^'"]+)\1/g

/** The files that these import, directly or not, with themselves. */
function reachable(files: readonly string[], extension: string, found = new Set<string>()): ReadonlySet<string> {
  for (const file of files) {
    if (found.has(file)) continue
    found.add(file)
    const imported = [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map(([, , path = '']) => path)
    reachable(
      imported.map((path) => resolve(dirname(file), path.replace(/\.js$/, extension))),
      extension,
      found,
    )
  }
  return found
}

const isModular = (name: string): boolean => /^\.\/(?:core|wires\/.*|dialects\/.*)$/.test(name)
const modules = reachable(filesOf('default', isModular), '.js')
const declarations = reachable(filesOf('types'), '.d.ts')

/** All outputs are in `dist/`, so that a path from there is right in each of them. */
const relocated: Plugin = {
  name: 'relocated',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path)
      return modules.has(file) ? { path: `./${relative(DIST, file)}`, external: true } : { path: file }
    })
    onLoad({ filter: /\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        'import.meta.url',
        `new URL('./${relative(DIST, path)}', import.meta.url).href`,
      ),
      loader: 'js',
    }))
  },
}

const bundled = filesOf('default', (name) => !isModular(name))
const { outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: [
    ...bundled.map((file) => ({ in: file, out: relative(DIST, file).replace(/\.js$/, '') })),
    { in: join(DIST, PROGRAM), out: 'program' },
  ],
  outdir: DIST,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'es2022',
  packages: 'external',
  chunkNames: 'chunk-[hash]',
  legalComments: 'none',
  plugins: [relocated],
  logLevel: 'warning',
})

for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
  const file = join(DIST, name)
  const isKept = name.endsWith('.d.ts') ? declarations.has(file) : modules.has(file)
  if (/\.(?:js|ts)$/.test(name) && !name.startsWith('page/') && !isKept) rmSync(file)
}
for (const file of modules) {
  const { code } = await transform(readFileSync(file, 'utf8'), { target: 'es2022', legalComments: 'none' })
  writeFileSync(file, code)
}
/** A chunk that only hands on the exports of another one, which a program imports in two ways. */
const HANDED_ON = /^import \{([^{}]*)\} from "(\.\/chunk-\w+\.js)";\n(?:import "[^"]+";\n)*export \{([^{}]*)\};\n$/

const origins: ReadonlyMap<string, string> = new Map(
  outputFiles.flatMap(({ path, text }) => {
    const [, names = '', origin = '', exported] = HANDED_ON.exec(text) ?? []
    return exported === names && !names.includes(' as ')
      ? [[`./${relative(DIST, path)}`, origin] as [string, string]]
      : []
  }),
)
for (const { path, text } of outputFiles) {
  if (origins.has(`./${relative(DIST, path)}`)) continue
  writeFileSync(
    path,
    text.replaceAll(/"(\.\/chunk-\w+\.js)"/g, (found, chunk: string) => {
      const origin = origins.get(chunk)
      return origin === undefined ? found : `"${origin}"`
    }),
  )
}
mkdirSync(dirname(join(DIST, PROGRAM)), { recursive: true })
writeFileSync(join(DIST, PROGRAM), "#!/usr/bin/env node\nimport '../program.js'\n")
