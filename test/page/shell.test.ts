import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundlePage, licensesOf } from '../../src/host/page/bundle.ts'
import { KEY } from '../host/test-server.ts'
import {
  checkAccessibility,
  enterKey,
  hasChromium,
  openBrowser,
  openPage,
  startPageServer,
  takeScreenshots,
} from './harness.ts'

const VIEWS = ['Live', 'Compare', 'Explain', 'Requests']
const LARGEST_KIB = 178

const sizeOf = (bytes: Uint8Array): number => gzipSync(bytes, { level: 9 }).length / 1024

/** The scripts that a script names, and those that they name. */
function closureOf(name: string, files: ReadonlyMap<string, Uint8Array>, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  const text = Buffer.from(files.get(name) ?? '').toString()
  for (const [other] of text.matchAll(/chunk-[A-Z0-9]+\.js/g)) closureOf(other, files, found)
  return found
}

describe('the files of the page', () => {
  it('are smaller than 178 KiB, compressed, for each view, and load nothing from another site', async () => {
    const files = await bundlePage()
    const text = (name: string): string => Buffer.from(files.get(name) ?? '').toString()
    // Each view is a script that the entry imports dynamically, with everything that it needs at any time.
    const views = [...text('main.js').matchAll(/import\("\.\/(chunk-[A-Z0-9]+\.js)"\)/g)].map(([, name = '']) => name)
    expect(views).toHaveLength(VIEWS.length)
    const always = ['index.html', 'icon.svg', 'page.css', 'main.js']
    const entry = new Set(
      [...text('main.js').matchAll(/from"\.\/(chunk-[A-Z0-9]+\.js)"/g)].map(([, name = '']) => name),
    )
    const sizes = views.map((view) => {
      const names = new Set([...always, ...entry, ...closureOf(view, files)])
      const size = [...names].reduce((sum, name) => sum + sizeOf(files.get(name) ?? new Uint8Array()), 0)
      return Math.round(size * 10) / 10
    })
    const all = [...files]
      .filter(([name]) => name !== 'licenses.txt')
      .reduce((sum, [, bytes]) => sum + sizeOf(bytes), 0)
    process.stdout.write(`the page with one view: ${sizes.join(', ')} KiB; all files: ${all.toFixed(0)} KiB\n`)
    expect({ sizes, fits: sizes.every((size) => size > 0 && size < LARGEST_KIB) }).toEqual({ sizes, fits: true })
    for (const name of files.keys())
      if (name !== 'licenses.txt') expect(text(name)).not.toMatch(/\b(?:import|from|src=|href=|url)\s*\(?["']?https?:/)
  })
})

it('licences that differ in their owner stand once, with each owner', async () => {
  const files = ['prom-client/index.js', '@smithy/core/index.js', '@google/genai/index.js', 'ws/wrapper.mjs']
  const inputs = Object.fromEntries(files.map((file) => [`node_modules/${file}`, { bytes: 1, imports: [] }]))
  const text = await licensesOf({ inputs, outputs: {} }, fileURLToPath(new URL('../../', import.meta.url)))
  expect(text.match(/TERMS AND CONDITIONS FOR USE/g)).toHaveLength(1)
  expect(text).toContain('prom-client, Copyright 2015 Simon Nyberg\n')
  expect(text).toMatch(/@smithy\/core, Copyright \d{4} Amazon/)
  expect(text).toMatch(/\nws, Copyright .*Luigi Pinca/)
  expect(text).toMatch(/^@google\/genai$/m)
})

describe.skipIf(!hasChromium)('the page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it('opens its four views by links and by the keyboard, without an error or a request beyond loopback', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, url, KEY)
    for (const view of [...VIEWS.slice(1), 'Live']) {
      await page.getByRole('navigation').getByRole('link', { name: view }).press('Enter')
      await page.getByRole('heading', { level: 1, name: view }).waitFor()
      expect(await page.title()).toBe(`${view} · millrace`)
    }
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
    check()
  })

  it('asks for a reload if the files of a view are no longer on the server', async () => {
    const { url } = await startPageServer()
    const { page } = await openPage(browser, url, KEY)
    await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor()
    await page.route('**/page/*.js', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('navigation').getByRole('link', { name: 'Requests' }).click()
    await page
      .getByRole('alert')
      .getByText('it was replaced by another version: start it and reload the page.')
      .waitFor()
    await page.unroute('**/page/*.js')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
  })

  it('explains which key it needs, keeps it in memory only, and requests another after a refusal', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/requests`, null)
    await page.getByText('Enter a key of this server').waitFor()
    // The view with the heading is loaded beside it.
    await page.locator('h1').waitFor({ state: 'attached' })
    await checkAccessibility(page)
    await takeScreenshots(page, 'key')
    // The field has the focus: no pointer is needed.
    await page.keyboard.type('a-wrong-key')
    await page.keyboard.press('Enter')
    await page.getByText('The API key is not valid for this server.').waitFor()
    await checkAccessibility(page)
    await takeScreenshots(page, 'key-refused')
    await enterKey(page, KEY)
    await page.getByText('No request since the server started.').waitFor()
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(stored).toBe('[{},{},""]')
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Enter a key of this server').waitFor()
    check()
  })

  it('takes the development key out of the address that the server prints', async () => {
    const { running, url } = await startPageServer({ keys: [] })
    const { page, check } = await openPage(browser, `${running.page}#key=${running.developmentKey}`, null)
    await page.getByText('Key in memory').waitFor()
    expect(page.url()).toBe(`${url}/#/live`)
    await page.goto(`${url}/#/requests`)
    await page.getByText('No request since the server started.').waitFor()

    // The link may be opened in a tab that shows the page already: then only the address changes.
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Enter a key of this server').waitFor()
    await page.goto(`${running.page}#key=${running.developmentKey}`)
    await page.getByText('Key in memory').waitFor()
    expect(page.url()).toBe(`${url}/#/live`)
    await page.goBack()
    expect(page.url()).not.toContain('key=')
    check()
  })
})
