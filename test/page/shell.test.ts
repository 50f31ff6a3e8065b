import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY } from '../host/test-server.ts'
import { checkAccessibility, hasChromium, openBrowser, openPage, startPageServer, takeScreenshots } from './harness.ts'

describe.skipIf(!hasChromium)('the page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it('opens its four views by links, without an error or a request beyond loopback', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, url, KEY)
    for (const view of ['Compare', 'Explain', 'Requests', 'Live']) {
      await page.getByRole('navigation').getByRole('link', { name: view }).click()
      await page.getByRole('heading', { level: 1, name: view }).waitFor()
      expect(await page.title()).toBe(`${view} · millrace`)
    }
    await checkAccessibility(page)
    await takeScreenshots(page, 'shell')
    check()
  })
})
