import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FILES, MARKED, PAGES, readPage, regenerate } from '../../docs/generate.ts'
import { CONFIG_SECTIONS, unexplained } from '../../docs/sections/configuration.ts'
import { ERROR_CODES } from '../../src/protocol/error-codes.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { ROOT } from './programs.ts'

const texts = new Map(PAGES.map((page) => [page, readPage(page)]))
const textOf = (page: string): string => texts.get(page) ?? ''

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '``')

/** Returns the anchor that GitHub generates for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)))

/** Returns the links of a page whose target does not exist in the repository. */
function deadLinks(page: string): readonly string[] {
  const targets = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => {
    if (/^https?:/.test(target)) return !URL.canParse(target)
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : join(dirname(page), path)
    if (!existsSync(new URL(file, ROOT))) return true
    return anchor !== undefined && !anchorsOf(readFileSync(new URL(file, ROOT), 'utf8')).has(anchor)
  })
}

/** Returns the lines in which a table breaks: rows with more or fewer cells than their header, and rows without one. */
function brokenTables(page: string): readonly string[] {
  const lines = textOf(page)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .split('\n')
  const cells = (line: string): number => line.replaceAll('\\|', '').split('|').length
  let columns = 0
  return lines.filter((line, at) => {
    if (!line.startsWith('|')) {
      columns = 0
      return false
    }
    if (columns === 0) columns = /^\|[-|: ]+$/.test(lines[at + 1] ?? '') ? cells(line) : 0
    return cells(line) !== columns
  })
}

describe.each(PAGES)('the documentation page %s', (page) => {
  it('has tables whose rows have the cells of their header', () => {
    expect(brokenTables(page)).toEqual([])
  })

  it('has only links with an existing target', () => {
    expect(deadLinks(page)).toEqual([])
  })

  it('has generated sections that are current (npm run docs)', async () => {
    expect(await regenerate(textOf(page))).toBe(textOf(page))
  })

  it('has no unbalanced marker of a generated section', () => {
    const rest = textOf(page).replace(MARKED, '')
    expect(rest).not.toMatch(/<!-- (?:generated:|end of generated)/)
  })

  it('begins with a sentence about its purpose', () => {
    const [heading = '', blank, first = ''] = textOf(page).split('\n')
    expect([heading.startsWith('# '), blank]).toEqual([true, ''])
    expect(first).toMatch(/^(?!<!--|```|[-|#>] ?).{20,}/)
  })

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'))
    const named = [...textOf(page).matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, script]) => script as string)
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([])
  })
})

it.each(Object.entries(FILES))('%s is current (npm run docs)', (file, make) => {
  expect(make()).toBe(readPage(file))
})

it('llms.txt links every page once, and nothing that does not exist', () => {
  const links = [...readPage('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
  expect([...links].sort()).toEqual([...PAGES].sort())
})

it.each([
  ['README.md', 150],
  ['test/README.md', 120],
])('%s has at most %i lines', (page, most) => {
  expect(textOf(page).trimEnd().split('\n').length).toBeLessThanOrEqual(most)
})

it('every page of docs/ is linked from some page', () => {
  const known = new Set(
    PAGES.flatMap((page) =>
      [...textOf(page).matchAll(/\]\(([^)#\s]+\.md)[^)]*\)/g)].map(([, target = '']) => join(dirname(page), target)),
    ),
  )
  expect(PAGES.filter((page) => page.startsWith('docs/') && !known.has(page))).toEqual([])
})

describe('the options of the configuration', () => {
  it('each have an explanation, and each explanation has an option', () => {
    expect(unexplained()).toEqual([])
  })

  it('are all in the page docs/configuration.md', () => {
    const missing = CONFIG_SECTIONS.filter(
      (section) => !textOf('docs/configuration.md').includes(`<!-- generated: configuration: ${section} -->`),
    )
    expect(missing).toEqual([])
  })
})

it('the page of troubleshooting explains each error code once, and no other', () => {
  const page = textOf('docs/troubleshooting.md').split('## No error')[0] ?? ''
  const codes = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, code = '']) => code)
  expect(codes.toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted())
})

it('the glossary lists each word once, in alphabetical order', () => {
  const words = [...textOf('docs/glossary.md').matchAll(/^\| ([^|]+?) \|/gm)].map(([, word = '']) => word).slice(2)
  expect(words.length).toBeGreaterThan(100)
  expect(words).toEqual([...new Set(words)].sort((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' })))
})

it('every page of a wire has the numbered sections that code cites', () => {
  const pages = PAGES.filter((page) => /^docs\/wires\/[a-z-]+\.md$/.test(page))
  expect(pages.map((page) => page.slice('docs/wires/'.length, -'.md'.length)).sort()).toEqual(Object.keys(WIRES).sort())
  const numbers = ['1', '2', '2.1', '2.2', '3', '4', '5', '6', '7', '8', '9', '9.1', '9.2', '9.3', '9.4', '9.5', '10']
  for (const page of pages) {
    const found = [...textOf(page).matchAll(/^#+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number)
    expect(
      numbers.filter((number) => !found.includes(number)),
      page,
    ).toEqual([])
  }
})

/** Pages that name files of the source tree in its current layout. */
const NAMING = ['docs/architecture.md', 'docs/description.md', 'CONTRIBUTING.md', 'test/README.md']

it.runIf(existsSync(new URL('src/fast-path/', ROOT))).each(NAMING)('%s names only files that exist', (page) => {
  const named = [...textOf(page).matchAll(/`((?:[\w-]+\/)+(?:[\w-]+\.ts)?)`/g)].map(([, file = '']) => file)
  const roots = [
    '',
    'src/',
    'src/wires/',
    'src/wires/openai-chat/',
    ...(page === 'CONTRIBUTING.md' ? [] : ['src/gateway/', 'src/host/', 'src/cli/']),
  ]
  const missing = named.filter((file) => !roots.some((root) => existsSync(new URL(root + file, ROOT))))
  expect(missing).toEqual([])
})
