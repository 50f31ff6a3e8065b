import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundlePage } from '../../src/host/page/bundle.ts'
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
const LARGEST_KIB = 150

describe('the files of the page', () => {
  it('are together smaller than 150 KiB, compressed, and load nothing from another site', async () => {
    const files = [...(await bundlePage())].filter(([name]) => name !== 'licenses.txt')
    const sizes = files.map(([name, bytes]) => [name, Math.round(gzipSync(bytes).length / 102.4) / 10] as const)
    const total = sizes.reduce((sum, [, size]) => sum + size, 0)
    process.stdout.write(`the page: ${total.toFixed(1)} KiB in ${files.length} files\n`)
    expect({ sizes, fits: total < LARGEST_KIB }).toEqual({ sizes, fits: true })
    const texts = files.map(([, bytes]) => Buffer.from(bytes).toString())
    for (const text of texts) expect(text).not.toMatch(/\b(?:import|from|src=|href=|url)\s*\(?["']?https?:/)
  })
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

  it('explains which key it needs, keeps it in memory only, and requests another after a refusal', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/requests`, null)
    await page.getByText('Enter a key of this server').waitFor()
    await checkAccessibility(page)
    await takeScreenshots(page, 'key')
    await enterKey(page, 'a-wrong-key')
    await page.getByText('The API key is not valid for this server.').waitFor()
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
    check()
  })

  it('paints its first content soon after a start, and sooner from the cache of the browser', async () => {
    const { url } = await startPageServer()
    // The first request bundles the page.
    await (await fetch(`${url}/page/main.js`)).arrayBuffer()
    const { page, check } = await openPage(browser, url, null)
    const paint = () =>
      page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            const observer = new PerformanceObserver((list) => {
              for (const { name, startTime } of list.getEntries())
                if (name === 'first-contentful-paint') resolve(Math.round(startTime))
            })
            observer.observe({ type: 'paint', buffered: true })
          }),
      )
    const first = await paint()
    await page.reload()
    const again = await paint()
    process.stdout.write(`first contentful paint: ${first} ms, after a reload ${again} ms\n`)
    expect([first > 0, again > 0]).toEqual([true, true])
    check()
  })
})
