/**
 * Builds the site: `npm run site -- --base /millrace/ --to DIR`. Pages of the documentation, and the page of the server,
 * which runs the gateway in the browser there. The result is a folder of files that any server can serve.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { bundlePage } from '../../src/host/page/bundle.ts'
import { FIXTURES, framingOf, listRecordings } from '../../src/host/recording/recordings.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import type { IndexEntry } from '../try/recordings.ts'
import { deadSiteLinks } from './links.ts'
import { addTexts, stagePages } from './stage.ts'

const HERE = fileURLToPath(new URL('./', import.meta.url))

/** Installs the generator of the lock file, unless it is there. */
function installGenerator(): void {
  const versionIn = (file: string): string | undefined =>
    existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version : undefined
  const { dependencies } = JSON.parse(readFileSync(`${HERE}package.json`, 'utf8'))
  if (versionIn(`${HERE}node_modules/vitepress/package.json`) === dependencies.vitepress) return
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', HERE], { stdio: 'inherit' })
}

/** The recordings of the package, with a list of them, because a folder of files has none. */
function copyRecordings(folder: string): void {
  const entries = (Object.keys(WIRES) as WireName[]).flatMap((wire) =>
    listRecordings(wire).map((name): IndexEntry => {
      const from = (role: string): URL => new URL(`${wire}/${name}.${role}`, FIXTURES)
      const stream = `stream.${framingOf(wire).extension}`
      const hasBody = existsSync(from('body.json'))
      for (const role of [stream, ...(hasBody ? ['body.json'] : [])])
        cpSync(from(role), path.join(folder, wire, `${name}.${role}`))
      const settings = existsSync(from('settings.json')) ? readFileSync(from('settings.json'), 'utf8') : '{}'
      return { wire, name, hasBody, settings }
    }),
  )
  writeFileSync(path.join(folder, 'index.json'), JSON.stringify(entries))
}

async function addPage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of await bundlePage(new URL('../try/', import.meta.url)))
    writeFileSync(path.join(folder, name), bytes)
  copyRecordings(path.join(folder, 'fixtures'))
}

/** Builds the site into a folder. Throws an Error that lists the dead links. */
export async function buildSite(folder: string, base: string): Promise<void> {
  installGenerator()
  stagePages(`${HERE}staged`)
  const program = `${HERE}node_modules/vitepress/bin/vitepress.js`
  execFileSync(process.execPath, [program, 'build', HERE, '--base', base, '--outDir', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SITE_BASE: base },
  })
  addTexts(folder)
  await addPage(path.join(folder, 'try'))
  const dead = deadSiteLinks(folder, base)
  if (dead.length > 0) throw new Error(`Links without a target:\n${dead.join('\n')}`)
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { base: { type: 'string', default: '/' }, to: { type: 'string', default: `${HERE}dist` } },
  })
  const folder = path.resolve(values.to)
  await buildSite(folder, values.base)
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))
  process.stdout.write(`${pages.length} pages in ${folder}, for the path ${values.base}\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
