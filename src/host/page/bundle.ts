import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { Metafile, Plugin } from 'esbuild'
import { PRESSED } from './pressed.ts'

/** The sources of the page. Only a checkout has them; the package has the files that `bundlePage` makes of them. */
const SOURCES = new URL('../../page/', import.meta.url)

/**
 * Bundles the page, or another one with its parts, from `index.html` and `main.tsx` in a folder. Returns its files by name.
 * Rejects if esbuild is missing, or the sources have an error.
 */
export async function bundlePage(sources = SOURCES): Promise<ReadonlyMap<string, Uint8Array>> {
  const { build } = await import('esbuild')
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
    plugins: sources === SOURCES ? [withoutReasons, withoutBodies, withoutRequests] : [withoutReasons],
    logLevel: 'silent',
  })
  const nameOf = (path: string): string => path.replace(/^.*[\\/]/, '')
  const scripts = outputFiles.filter(({ path }) => path.endsWith('.js'))
  // The styles of the entry contain those of all views. A browser loads none for a script that is imported dynamically.
  const styles = outputFiles.find(({ path }) => nameOf(path) === 'main.css')
  return new Map<string, Uint8Array>([
    ['index.html', await readFile(new URL('index.html', sources))],
    ['icon.svg', await readFile(new URL('icon.svg', SOURCES))],
    ['page.css', styles?.contents ?? new Uint8Array()],
    ['licenses.txt', Buffer.from(await licensesOf(metafile, root))],
    ...scripts.map(({ path, contents }): [string, Uint8Array] => [nameOf(path), contents]),
  ])
}

/** The tables of members name a reason for each ignored one, for readers of the source: a text after a colon, but for `path`. */
const REASON = /: '[^'\n]+'/g

/** Leaves the reasons out of the page. */
const withoutReasons: Plugin = {
  name: 'without-reasons',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:upstream[\\/]members|error-members|reasons)\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(REASON, (text, at, all) =>
        all.slice(0, at).endsWith('path') ? text : ": ''",
      ),
      loader: 'ts',
    }))
  },
}

const EXPORTED = /^export (?:const|function\*?) (\w+)/gm

/** Leaves out what builds whole bodies for clients: the page draws streams, also of whole answers. */
const withoutBodies: Plugin = {
  name: 'without-bodies',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]client[\\/]body\.ts$|[\\/]ai-sdk-ui-message\.ts$/ }, async ({ path }) => {
      const names = [...(await readFile(path, 'utf8')).matchAll(EXPORTED)].map(([, name]) => name)
      const absent = "const absent = () => { throw new Error('The page builds no bodies.') }\n"
      return { contents: `${absent}export { ${names.map((name) => `absent as ${name}`).join(', ')} }`, loader: 'js' }
    })
  },
}

/** The base URL of a vendor, or the environment variable with its key. */
const ADDRESS_OR_KEY = /'(?:https?:\/\/[^'\n]+|[A-Z][A-Z\d_]+)'/g

/** A quirk with a list of what requests may have, or must not. */
const REFUSED =
  /\b(?:refuses\w{0,20}|betas|clientHeaders|audioFormats|imageTypes|changesInInput): (?:[A-Z_]{1,40}|\[[^[\]]{0,400}\]),?/g

/** Facts for requests, in the row of a vendor. */
const FACTS_OF_ROWS = /\bmodelFacts: \{ '\*': \{ \w{1,40}: '\w{1,20}' \} \},?/g

/** The name of a beta, which requests have in a header. */
const BETA = /'[a-z][a-z\d-]{1,50}-20\d\d-?\d\d-?\d\d',?/g

/** Quirks that only requests have. */
const ONLY_SENT =
  /\b(?:bareAudio|billingLine|cacheControl|callIds|conversationHeader|developerRole|imageHeader|hostedHistory|initiatorHeader|needsInstructions|noSystemRole|outputsFollowCalls|refusalAsText|requiredWord|signsCalls|fullTopP|keyHeader|leastTemperature|maxTemperature|maxTokensField|mostTools|noJsonObject|noJsonSchema|noNamedChoice|oneStrictness|noStreamOptions|noToolChoice|noUserAfterTool|opaqueUser|openaiFields|strictSchemas|strictTurns|toolImages|toolNames|videoParts): (?:true|\d{1,4}(?:\.\d{1,2})?|'[\w-]{1,40}'),?/g

/** Leaves out requests, and where vendors are: the page knows only their responses, and its server connects to them. */
const withoutRequests: Plugin = {
  name: 'without-requests',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]vendors[\\/](?:rows|other-wires)\.ts$/ }, async ({ path }) => ({
      contents: [REFUSED, BETA, FACTS_OF_ROWS, ONLY_SENT].reduce(
        (text, found) => text.replace(found, ''),
        (await readFile(path, 'utf8')).replace(ADDRESS_OR_KEY, 'null'),
      ),
      loader: 'ts',
    }))
  },
}

const compressed = promisify(brotliCompress)

/** Writes the files of the page into a folder of the package, compressed with Brotli: a part of `npm run build`. */
export async function writePage(folder: URL): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, bytes] of await bundlePage())
    await writeFile(new URL(`${name}${PRESSED}`, folder), await compressed(bytes))
}

/** The licences of the packages in a bundle, which their authors require in copies. `root`: the folder of its paths. */
export async function licensesOf({ inputs }: Metafile, root: string): Promise<string> {
  const folders = Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  // Packages whose texts differ in their white space only share one.
  const found = new Map<string, { readonly names: string[]; readonly text: string }>()
  for (const folder of [...new Set(folders)].sort()) {
    const text = await licenseIn(`${root}${folder}`)
    const words = text.replace(/\s+/g, ' ').trim()
    const known = found.get(words) ?? { names: [], text }
    known.names.push(folder.replace(/^.*node_modules\//, ''))
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
