import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSite } from '../../docs/site/build.ts'
import { deadSiteLinks } from '../../docs/site/links.ts'
import { placeOf, targetOf, toSitePage } from '../../docs/site/stage.ts'
import {
  checkAccessibility,
  hasChromium,
  openBrowser,
  openPage,
  TOUCH_PHONE,
  takeScreenshots,
} from '../page/harness.ts'
import { type FolderServer, serveFolder } from './serve-folder.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'millrace-site-'))
const BASES = { root: '/', 'sub-path': '/millrace/' } as const
const folderOf = (place: string): string => path.join(folder, place)

const servers = new Map<string, FolderServer>()
beforeAll(async () => {
  for (const [place, base] of Object.entries(BASES)) {
    await buildSite(folderOf(place), base)
    servers.set(place, await serveFolder(folderOf(place), base))
  }
})
afterAll(async () => {
  for (const server of servers.values()) await server.close()
  rmSync(folder, { recursive: true })
})
const urlOf = (place: string): string => servers.get(place)?.url ?? ''

const pagesIn = (place: string): readonly string[] =>
  readdirSync(folderOf(place), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html') && file !== '404.html')
    .sort()

describe('the pages as they are copied', () => {
  it('link other pages, and files of the repository', () => {
    expect(placeOf('docs/wires/README.md')).toBe('wires/index.md')
    expect(targetOf('docs/wires/openai-chat.md', '../losses.md#numbers')).toBe('/losses.md#numbers')
    expect(targetOf('docs/gateway.md', '../src/index.ts')).toMatch(/^https:.*\/src\/index\.ts$/)
    expect(toSitePage('docs/a.md', '`[x](y.md)`\n<!-- not run: why -->\n[x](#here)')).toBe('`[x](y.md)`\n[x](#here)')
  })
})

describe.each(Object.keys(BASES))('the files of the site at a %s', (place) => {
  it('have no link without a target, and load nothing from elsewhere', () => {
    expect(pagesIn(place).length).toBeGreaterThan(50)
    expect(deadSiteLinks(folderOf(place), BASES[place as keyof typeof BASES])).toEqual([])
  })
})

it('a link without a file, an anchor without a heading and a script of another host are found', () => {
  const wrong = mkdtempSync(path.join(tmpdir(), 'millrace-links-'))
  writeFileSync(
    path.join(wrong, 'a.html'),
    '<a href="/s/b.html">b</a><a href="#no">c</a><a id="yes" href="#yes">d</a><script src="https://x.invalid/y.js"></script><a href="https://x.invalid/">e</a>',
  )
  expect(deadSiteLinks(wrong, '/s/')).toEqual(['a.html: /s/b.html', 'a.html: #no', 'a.html: https://x.invalid/y.js'])
  rmSync(wrong, { recursive: true })
})

describe.skipIf(!hasChromium)('the site in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  const open = (place: string, page: string, options = {}) => openPage(browser, urlOf(place) + page, null, options)

  it('shows each page with its heading, without an error or a request to another host', async () => {
    const { page, check } = await open('sub-path', '')
    for (const file of pagesIn('sub-path')) {
      await page.goto(urlOf('sub-path') + file)
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
    }
    check()
  })

  it.each(Object.keys(BASES))('starts, finds a page by the search, and a loss by its words, at a %s', async (place) => {
    const { page, check } = await open(place, '')
    await page.getByText('Use any model from any client').waitFor()
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.getByRole('searchbox').fill('retry budget')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\.html/)

    await page.goto(`${urlOf(place)}losses.html`)
    const search = page.getByRole('region', { name: 'Search of losses' })
    await search.getByText(/^\d{4} of \d{4} entries/).waitFor()
    await search.getByLabel('Words').fill('top_logprobs')
    await search.getByLabel('Package').selectOption('openai')
    await search.getByLabel('Becomes').selectOption('dropped')
    await search.getByRole('row').nth(1).getByText('top_logprobs').first().waitFor()
    expect(await search.getByRole('status').innerText()).toMatch(/^\d{1,2} of \d{4} entries$/)
    await search.getByLabel('Words').fill('a-word-that-no-package-has')
    await search.getByText(/^0 of/).waitFor()
    check()
  })

  it('has no findings of axe on the start, a page and the search, in both themes', async () => {
    const { page, check } = await open('root', '')
    for (const [file, name] of [
      ['index.html', 'start'],
      ['library.html', 'page'],
      ['losses.html', 'losses'],
    ]) {
      await page.goto(`${urlOf('root')}${file}`)
      await page.locator('#app .VPContent').waitFor()
      await checkAccessibility(page)
      await takeScreenshots(page, `site-${name}`)
    }
    check()
  })

  const openTry = async (place: string, view: string, options = {}) => {
    const opened = await open(place, `try/index.html#/${view}`, options)
    await opened.page.getByText('Everything on this page runs in your browser').waitFor()
    return opened
  }

  const compare = async (page: Page): Promise<void> => {
    await page.getByRole('combobox', { name: 'Recording' }).selectOption('anthropic-messages/reasoning')
    for (const name of ['openai', 'anthropic-messages'])
      await page.getByRole('columnheader', { name: new RegExp(`^${name}( |$)`) }).waitFor()
  }

  it.each(Object.keys(BASES))('compares a recording without a server, at a %s', async (place) => {
    const { page, check } = await openTry(place, 'compare')
    await compare(page)
    await page.locator('[data-row="5"] .piece').first().waitFor()
    if (place === 'root') {
      await checkAccessibility(page)
      await takeScreenshots(page, 'site-compare')
    }
    check()
  })

  it.each(Object.keys(BASES))('explains a request without a server, at a %s', async (place) => {
    const { page, check } = await openTry(place, 'explain')
    const row = page.getByRole('row').filter({ hasText: 'anthropic-messages' })
    await row.getByText('translated').first().waitFor()
    if (place === 'root') {
      await checkAccessibility(page)
      await takeScreenshots(page, 'site-explain')
    }
    check()
  })

  it.each(['anthropic-messages/search', 'gemini-generate/hello', 'bedrock-converse/hello', 'ollama-chat/hello'])(
    'sends a request to the gateway in the page, whose upstream plays %s',
    async (model) => {
      const { page, check } = await openTry('sub-path', `live?protocol=responses-openai&model=${model}`)
      await page.getByRole('textbox', { name: 'Prompt' }).fill('Which lighthouse is the oldest one still in use?')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('completed').first().waitFor()
      if (model.endsWith('/search')) {
        await checkAccessibility(page)
        await takeScreenshots(page, 'site-live')
      }
      check()
    },
  )

  it('compares on a phone', async () => {
    const { page, check } = await openTry('sub-path', 'compare', TOUCH_PHONE)
    await compare(page)
    check()
  })
})

it('the licences of all packages in the page are among its files', () => {
  const text = readFileSync(path.join(folderOf('root'), 'try/licenses.txt'), 'utf8')
  for (const name of ['preact', 'zod', '@noble/hashes', '@humanwhocodes/momoa']) expect(text).toContain(`${name}\n\n`)
})
