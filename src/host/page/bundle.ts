import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { Metafile, Plugin, transform as Transforming } from 'esbuild'
import { lookup } from '../../text/lookup.ts'
import * as otherWires from '../../vendors/other-wires.ts'
import * as vendorRows from '../../vendors/rows.ts'
import { QUIRKS } from '../../wires/quirk-table.ts'
import { PRESSED } from './pressed.ts'

type Transform = typeof Transforming

/** The sources of the page. Only a checkout has them; the package has the files that `bundlePage` makes of them. */
const SOURCES = new URL('../../page/', import.meta.url)

/**
 * Bundles the page, or another one with its parts, from `index.html` and `main.tsx` in a folder. Returns its files by name.
 * Rejects if esbuild is missing, or the sources have an error.
 */
export async function bundlePage(sources = SOURCES): Promise<ReadonlyMap<string, Uint8Array>> {
  const { build, transform } = await import('esbuild')
  const root = fileURLToPath(sources)
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'main.tsx' },
    outdir: 'out',
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    chunkNames: 'chunk-[hash]',
    legalComments: 'none',
    plugins: sources === SOURCES ? [withoutReasons, withoutOthers, withoutRequests] : [withoutReasons],
    logLevel: 'silent',
  })
  const nameOf = (path: string): string => path.replace(/^.*[\\/]/, '')
  const scripts = outputFiles.filter(({ path }) => path.endsWith('.js'))
  // The styles of the entry contain those of all views. A browser loads none for a script that is imported dynamically.
  const styles = outputFiles.find(({ path }) => nameOf(path) === 'main.css')
  return new Map<string, Uint8Array>([
    ['index.html', Buffer.from((await readFile(new URL('index.html', sources), 'utf8')).replace(MARGINS, ''))],
    ['icon.svg', await readFile(new URL('icon.svg', SOURCES))],
    ['page.css', styles?.contents ?? new Uint8Array()],
    ['licenses.txt', Buffer.from(await licensesOf(metafile, root))],
    ...(await Promise.all(
      scripts.map(async ({ path, text }) => [nameOf(path), await shortened(text, transform)] as const),
    )),
  ])
}

/** Comments of HTML, and the space between elements on different lines. */
const MARGINS = /\s{0,20}<!--[^>]{0,400}-->|(?<=>)\n\s{0,20}(?=<)/g

/** A bundle has constants of other files, which a second pass puts in their places. */
async function shortened(text: string, transform: Transform): Promise<Uint8Array> {
  const { code } = await transform(text, { minify: true, legalComments: 'none' })
  return new TextEncoder().encode(code)
}

/** The tables of members name a reason for each ignored one, for readers of the source: a text after a colon, but for `path`. */
const REASON = /: '[^'\n]+'/g

/** Leaves the reasons out of the page. */
const withoutReasons: Plugin = {
  name: 'without-reasons',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:upstream[\\/]members|error-members|reasons)\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(REASON, (text, at, all) =>
        all.slice(0, at).endsWith('path') ? text : ': 0',
      ),
      loader: 'ts',
    }))
  },
}

const EXPORTED = /^export (?:const|function\*?) (\w+)/gm

/** Files whose functions the page does not need, and what these do instead. */
const LEFT_OUT: readonly (readonly [file: RegExp, body: string])[] = [
  // The page draws streams, also of whole answers.
  [/[\\/]client[\\/]body\.ts$|[\\/]ai-sdk-ui-message\.ts$/, "throw new Error('The page builds no bodies.')"],
  // It sends nothing again.
  [/[\\/]upstream[\\/]retry-after\.ts$/, 'return null'],
]

const withoutOthers: Plugin = {
  name: 'without-others',
  setup({ onLoad }) {
    for (const [filter, body] of LEFT_OUT)
      onLoad({ filter }, async ({ path }) => {
        const names = [...(await readFile(path, 'utf8')).matchAll(EXPORTED)].map(([, name]) => name)
        const exported = names.map((name) => `absent as ${name}`).join(', ')
        return { contents: `const absent = () => { ${body} }\nexport { ${exported} }`, loader: 'js' }
      })
  },
}

/** Whether a member of a vendor is about requests alone. */
const isOfRequests = (name: string): boolean => {
  const row = lookup(QUIRKS, name)
  return row !== undefined && 'only' in row
}

/** Members for the connection and for names of models, which the server has: the page shows names as they come. */
const OF_SERVER: ReadonlySet<string> = new Set(['baseUrl', 'keyVariable', 'awsService', 'ownModelNames', 'rawPredict'])

/** A member of a vendor for the page. */
const shownMember = (name: string, value: unknown): unknown =>
  OF_SERVER.has(name) || isOfRequests(name) ? undefined : value

const TABLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'rows.ts': vendorRows,
  'other-wires.ts': otherWires,
}

/** Leaves out requests, and where vendors are: the page knows only their responses. */
const withoutRequests: Plugin = {
  name: 'without-requests',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]vendors[\\/](?:rows|other-wires)\.ts$/ }, ({ path }) => {
      const tables = Object.entries(TABLES[path.replace(/^.*[\\/]/, '')] ?? {})
      const texts = tables.map(([name, table]) => {
        const shown = JSON.stringify(table, shownMember).replaceAll(
          /\{"wire":("[\w-]+"),"quirks":(\{[^{}]*\})\}/g,
          'row($1,$2)',
        )
        return `export const ${name} = ${shown}\n`
      })
      return { contents: `const row = (wire, quirks) => ({ wire, quirks })\n${texts.join('')}`, loader: 'js' }
    })
  },
}

const compressed = promisify(brotliCompress)

/** Writes the files of the page into a folder of the package, compressed with Brotli: a part of `npm run build`. */
export async function writePage(folder: URL): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, bytes] of await bundlePage())
    await writeFile(new URL(`${name}${PRESSED}`, folder), await compressed(bytes))
}

/** The line with the owner, which may be a blank to fill in. */
const COPYRIGHT = /^[ \t]{0,9}Copyright [^a-z].{0,200}$/gm

/** The licences of the packages in a bundle, which their authors require in copies. `root`: the folder of its paths. */
export async function licensesOf({ inputs }: Metafile, root: string): Promise<string> {
  const folders = Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  // Packages whose texts differ only in their owners, and in characters other than letters, share one.
  const found = new Map<string, { readonly names: string[]; readonly text: string }>()
  for (const folder of [...new Set(folders)].sort()) {
    const text = await licenseIn(`${root}${folder}`)
    const lines = (text.match(COPYRIGHT) ?? []).filter((line) => !/[[{]yyyy/.test(line))
    const owners = lines.map((line) => `, ${line.trim()}`)
    const words = text
      .replace(COPYRIGHT, '')
      .replace(/[^a-z]+/gi, ' ')
      .trim()
    const known = found.get(words) ?? { names: [], text: text.replace(COPYRIGHT, '') }
    known.names.push(`${folder.replace(/^.*node_modules\//, '')}${owners.join('')}`)
    found.set(words, known)
  }
  const parts = [...found.values()].map(({ names, text }) => `${names.join('\n')}\n\n${text}`)
  return parts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** The text of the licence in the folder of a package; where it has none, what its description states. */
async function licenseIn(folder: string): Promise<string> {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name))
  if (file !== undefined) return readFile(`${folder}/${file}`, 'utf8')
  const { author, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  return `${license}, ${author?.name ?? author}\n`
}
