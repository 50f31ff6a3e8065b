/**
 * `node --import tsx tools/style/picture.ts` takes the picture of README and of the site's home page: the view Compare of
 * a server with the package's own recordings, in Chromium.
 */
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { start } from '../../src/host/start.ts'

const KEY = 'development-key-of-a-picture'
const server = await start({ listen: { port: 0 } }, { env: { MILLRACE_DEV_KEY: KEY } })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, deviceScaleFactor: 1 })
await page.goto(`${server.url}/#key=${KEY}`)
await page.getByRole('link', { name: 'Compare' }).first().click()
await page.waitForLoadState('networkidle')
await page.getByRole('combobox', { name: 'Recording' }).selectOption('anthropic-messages/reasoning')
await page.getByRole('columnheader', { name: /^anthropic-messages/ }).waitFor()
await page.locator('[data-row="5"] .piece').first().waitFor()
await page.locator('[data-row="3"]').first().click()
await page.screenshot({ path: fileURLToPath(new URL('../../docs/assets/compare.png', import.meta.url)) })
await browser.close()
await server.close()
