/**
 * Turns the modules that `tsc` has written into the files of the package: a part of `npm pack`. After `npm run build`, `dist/`
 * has each module as its own file.
 *
 * - All entries are built together, so that each part of the code is in one chunk, and a start reads tens of files in
 *   place of hundreds. Constants are marked as pure: a bundler leaves out what a program of one wire does not use.
 * - Packages are parts of the chunks, without their names, so that a program installs few of them: `BESIDE` are the others.
 * - Names stay, and lines stay short, because traces of errors name both: the package has no maps.
 * - Declarations that no entry reaches are removed.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, transform } from 'esbuild'
import { licensesOf } from '../../src/host/page/bundle.ts'
import { annotated, markPureConstants } from './pure-constants.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DIST = join(ROOT, 'dist')
const PROGRAM = 'cli/main.js'

interface PackageEntry {
  readonly types?: string
  readonly default?: string
}

const { exports, dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, PackageEntry | string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
const filesOf = (kind: keyof PackageEntry): readonly string[] =>
  Object.values(exports)
    .flatMap((entry) => (typeof entry === 'string' ? [] : (entry[kind] ?? [])))
    .map((file) => join(ROOT, file))

const IMPORTS = /(?:from |import |import\()(['"])(\.[^'"]+)\1/g

/** The declarations that these import, directly or not, with themselves. */
function reachable(files: readonly string[], found = new Set<string>()): ReadonlySet<string> {
  for (const file of files) {
    if (found.has(file)) continue
    found.add(file)
    const imported = [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map(([, , path = '']) => path)
    reachable(
      imported.map((path) => resolve(dirname(file), path.replace(/\.js$/, '.d.ts'))),
      found,
    )
  }
  return found
}

const nameOf = (file: string): string => relative(DIST, file).replaceAll('\\', '/')

const isZod = (path: string): boolean => /[\\/]zod[\\/]/.test(path)

/** The files that a module names by its own place: those of a chunk are elsewhere than those of its modules. */
const prepared: Plugin = {
  name: 'prepared',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (path.startsWith(DIST)) {
        const placed = text.replaceAll('import.meta.url', `new URL('./${nameOf(path)}', import.meta.url).href`)
        return { contents: markPureConstants(placed), loader: 'js' }
      }
      const marked = isZod(path) ? markPureConstants(text) : text
      return { contents: (await transform(marked, { minify: true, legalComments: 'none' })).code, loader: 'js' }
    })
  },
}

/** Modules of Node that a file of CommonJS requires: a module has no `require`, and must not import them in a browser. */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?[a-z_0-9/]+$/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
      loader: 'js',
    }))
  },
}

/** The packages that stay beside the chunks. zod is a dependency for the types of the configuration only. */
const BESIDE = [...Object.keys(dependencies), ...Object.keys(peerDependencies), 'esbuild']
  .filter((name) => name !== 'zod')
  .flatMap((name) => [name, `${name}/*`])

const declarations = reachable(filesOf('types'))
const { outputFiles, metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: [
    ...filesOf('default').map((file) => ({ in: file, out: nameOf(file).replace(/\.js$/, '') })),
    { in: join(DIST, PROGRAM), out: 'program' },
  ],
  outdir: DIST,
  write: false,
  metafile: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // Modules, of which a bundle contains only what it uses; by default these are the files for CommonJS.
  mainFields: ['module', 'main'],
  conditions: ['module'],
  target: 'es2022',
  external: BESIDE,
  chunkNames: 'chunk-[hash]',
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  legalComments: 'none',
  // The forms for browsers: Node's form of yaml is CommonJS, and that of the signatures imports `node:crypto`, which not
  // every worker has.
  alias: {
    yaml: join(ROOT, 'node_modules/yaml/browser/index.js'),
    '@smithy/core/serde': join(ROOT, 'node_modules/@smithy/core/dist-es/submodules/serde/index.browser.js'),
  },
  plugins: [builtins, prepared],
  logLevel: 'warning',
})

for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
  const file = join(DIST, name)
  if (/\.(?:js|ts)$/.test(name) && !nameOf(file).startsWith('page/') && !declarations.has(file)) rmSync(file)
}
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, annotated(text))
}
writeFileSync(join(DIST, 'licenses.txt'), await licensesOf(metafile, ROOT))
mkdirSync(dirname(join(DIST, PROGRAM)), { recursive: true })
writeFileSync(join(DIST, PROGRAM), "#!/usr/bin/env node\nimport '../program.js'\n")
