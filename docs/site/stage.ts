import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { FILES, PAGES } from '../generate.ts'

/** Copies the pages of the documentation to the place where the generator of the site reads them. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const REPOSITORY = 'https://github.com/millrace/millrace/blob/main/'

/** The place of a page in the site. `README.md` at the root is the start, and so has no page of its own. */
export function placeOf(page: string): string {
  if (page === 'README.md') return 'index.md'
  const name = page.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')
  return /^[A-Z]+\.md$/.test(name) ? name.toLowerCase() : name
}

const PLACES = new Map(PAGES.map((page) => [page, placeOf(page)]))

/** The address of a link of a page in the site; files without a page are those of the repository. */
export function targetOf(page: string, link: string): string {
  if (/^(?:[a-z]+:|#)/.test(link)) return link
  const [file = '', anchor] = link.split('#')
  const target = path.posix.join(path.posix.dirname(page), file)
  const place = PLACES.get(target)
  const end = anchor === undefined ? '' : `#${anchor}`
  if (place !== undefined) return `/${place}${end}`
  if (target.startsWith('docs/assets/')) return `/${target.slice('docs/'.length)}`
  return Object.hasOwn(FILES, target) ? `/${path.posix.basename(target)}` : `${REPOSITORY}${target}${end}`
}

/** Fenced blocks and code spans, which have no links; then links. */
const LINK = /^```[\s\S]*?^```$|`[^`\n]*`|\]\(([^)\s]+)\)/gm

/** Replaces the links of a page, and removes its comments, but for the place of the search. */
export const toSitePage = (page: string, text: string): string =>
  text
    .replace(LINK, (all, link?: string) => (link === undefined ? all : `](${targetOf(page, link)})`))
    .replace(/^<!-- loss search -->$/m, '```loss-search\n```')
    .replace(/^<!--[^\n]*-->\n?/gm, '')

/** A group of links of the side bar. */
interface Group {
  readonly text: string
  readonly items: readonly { readonly text: string; readonly link: string }[]
}

/** The table "Documentation" of README, a group a row, then the pages of contributors. */
export function sideBar(readme: string): readonly Group[] {
  const rows = [...readme.matchAll(/^\| ([a-z]+) \| (\[.*) \|$/gm)]
  const groups = rows.map(([, text = '', links = '']) => ({
    text: text[0]?.toUpperCase() + text.slice(1),
    items: [...links.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name = '', link = '']) => ({
      text: name.replaceAll('`', ''),
      link: targetOf('README.md', link),
    })),
  }))
  const own = ['CONTRIBUTING.md', 'AGENTS.md', 'CHANGELOG.md', 'SECURITY.md', 'test/README.md']
  const titleOf = (page: string): string => readFileSync(path.join(ROOT, page), 'utf8').slice(2).split('\n', 1)[0] ?? ''
  return [
    ...groups,
    { text: 'Project', items: own.map((page) => ({ text: titleOf(page), link: `/${placeOf(page)}` })) },
  ]
}

/** Writes all pages below `folder`, with the files that the site has beside them in `public/`. */
export function stagePages(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  for (const page of PAGES) {
    if (page !== 'README.md') write(placeOf(page), toSitePage(page, readFileSync(path.join(ROOT, page), 'utf8')))
  }
  write('index.md', readFileSync(path.join(ROOT, 'docs/site/home.md'), 'utf8'))
  write('side-bar.json', JSON.stringify(sideBar(readFileSync(path.join(ROOT, 'README.md'), 'utf8'))))
  for (const file of Object.keys(FILES)) cpSync(path.join(ROOT, file), path.join(folder, 'public', path.basename(file)))
  cpSync(path.join(ROOT, 'docs/assets'), path.join(folder, 'assets'), { recursive: true })
  cpSync(path.join(ROOT, 'src/page/icon.svg'), path.join(folder, 'public/icon.svg'))
}

/** Adds the texts of the pages, to which `llms.txt` leads, to the built site. */
export function addTexts(folder: string): void {
  for (const page of PAGES) cpSync(path.join(ROOT, page), path.join(folder, page))
}
