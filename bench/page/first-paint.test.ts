import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openBrowser, openPage, startPageServer } from '../../test/page/harness.ts'

const FIRST_PAINT_MS = 300
/** Server and browser share the processors with other programs: the best attempt counts. */
const ATTEMPTS = 5

const readPaint = (page: Page): Promise<number> =>
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

describe.skipIf(!hasChromium)('the page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it('paints its first content within 300 ms, also without a cache', async () => {
    const { url } = await startPageServer()
    // The first request bundles the page.
    await (await fetch(`${url}/page/main.js`)).arrayBuffer()
    const slowest: number[] = []
    while (slowest.length < ATTEMPTS && !slowest.some((time) => time < FIRST_PAINT_MS)) {
      // A context of its own has an empty cache.
      const { page, check } = await openPage(browser, url, null)
      const cold = await readPaint(page)
      await page.reload()
      const warm = await readPaint(page)
      slowest.push(Math.max(cold, warm))
      process.stdout.write(`first contentful paint: ${cold} ms, after a reload ${warm} ms\n`)
      check()
    }
    expect(Math.min(...slowest)).toBeLessThan(FIRST_PAINT_MS)
  })
})
