import { readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIXTURES } from '../../src/host/recording/recordings.ts'
import { KEY } from '../host/test-server.ts'
import {
  checkAccessibility,
  hasChromium,
  openBrowser,
  openPage,
  startPageServer,
  TOUCH_PHONE,
  takeScreenshot,
  takeScreenshots,
} from './harness.ts'

const fixture = (name: string): string => readFileSync(new URL(name, FIXTURES), 'utf8')

/** Drops a file on the view as a person does. */
async function drop(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  await page.getByRole('button', { name: 'Choose a file…' }).waitFor()
  // Text, because the browser's protocol takes long for a list of a million numbers.
  const transfer = await page.evaluateHandle(
    ([file, base64]) => {
      const made = new DataTransfer()
      made.items.add(new File([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], file))
      return made
    },
    [name, Buffer.from(content).toString('base64')] as const,
  )
  await page.dispatchEvent('.compare', 'dragover', { dataTransfer: transfer })
  await page.dispatchEvent('.compare', 'drop', { dataTransfer: transfer })
}

const grid = (page: Page): Locator => page.getByRole('grid')
const rowOf = (page: Page, row: number): Locator => page.locator(`[data-row="${row}"]`)
const litTexts = (page: Page): Promise<readonly string[]> => page.locator('.compare-grid .piece.lit').allTextContents()
const shownRow = (page: Page): Promise<string> =>
  page.getByRole('region', { name: 'Details of the row' }).getByRole('heading', { level: 2 }).innerText()

/** Waits until all chosen targets have a column. */
async function aligned(page: Page, ...targets: readonly string[]): Promise<void> {
  for (const name of targets) await page.getByRole('columnheader', { name: new RegExp(`^${name}( |$)`) }).waitFor()
}

const chunk = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`

describe.skipIf(!hasChromium)('the view Compare', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it('aligns a recording of the server, and follows words through the columns by pointer and by keys', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/compare`, KEY)
    await page.getByRole('combobox', { name: 'Recording' }).selectOption('anthropic-messages/reasoning')
    await aligned(page, 'openai', 'anthropic-messages')
    await page.getByLabel('openai-chat', { exact: true }).check()
    await aligned(page, 'openai-chat')
    await expect.poll(() => page.url()).toContain('to=openai%2Copenai-chat%2Canthropic-messages')

    const word = rowOf(page, 5).locator('.piece').first()
    const text = await word.innerText()
    // The column cuts long words: the pointer rests on their beginning.
    await word.hover({ position: { x: 4, y: 8 } })
    expect(await litTexts(page)).toEqual([text, text, text, text, text, text])
    expect(await shownRow(page)).toBe('Frame 5')
    await expect
      .poll(() => page.locator('.compare-places').first().innerText())
      .toContain('reasoning_summary_text.done')

    await grid(page).focus()
    await page.keyboard.press('Home')
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
    expect(await shownRow(page)).toBe('Frame 3')
    await rowOf(page, 0).hover()
    expect(await shownRow(page)).toBe('Frame 3')
    expect((await litTexts(page)).length).toBeGreaterThan(4)
    await checkAccessibility(page)
    await takeScreenshots(page, 'compare')
    await page.keyboard.press('Escape')
    await rowOf(page, 1).hover()
    expect(await shownRow(page)).toBe('Frame 1')
    // The decoder needs the type of a block for its deltas; it drops a ping.
    expect(await rowOf(page, 1).innerText()).toContain('takes effect later')
    expect(await rowOf(page, 2).innerText()).toContain('no effect')
    check()
  })

  it('aligns a dropped file without a key, and a link carries it to a second page', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/compare`, null)
    await drop(page, 'cut.sse', fixture('openai-chat/cut-off.stream.sse'))
    await aligned(page, 'openai', 'anthropic-messages')
    await page.getByLabel('ollama-chat', { exact: true }).check()
    await aligned(page, 'ollama-chat')
    expect(await page.locator('.compare-status').innerText()).toContain('openai-chat, 11 rows')
    await page.getByText('Outcomes', { exact: false }).first().click()
    expect(await page.locator('.compare-outcomes').innerText()).toContain('upstream_truncated')
    await expect.poll(() => page.url()).toContain('data=')

    const second = await openPage(browser, page.url(), null)
    await aligned(second.page, 'openai', 'anthropic-messages', 'ollama-chat')
    const rowCount = await grid(page).getAttribute('aria-rowcount')
    expect(await grid(second.page).getAttribute('aria-rowcount')).toBe(rowCount)
    await checkAccessibility(second.page)
    second.check()
    check()
  })

  it('marks what breaks the grammar in a recorded Responses stream, and reports damaged links', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/compare?data=abc`, null)
    await page.getByRole('alert').getByText('damaged').waitFor()
    const stream = fixture('openai-responses/hello.stream.sse').replace('"sequence_number":2', '"sequence_number":7')
    await page.getByRole('button', { name: 'Paste…' }).click()
    await page.getByLabel('Text of a recording').fill(stream)
    await page.getByRole('button', { name: 'Align' }).click()
    await aligned(page, 'openai')
    expect(await rowOf(page, 2).locator('.finding').allInnerTexts()).toEqual([expect.stringContaining('sequence')])
    expect(await page.getByRole('alert').count()).toBe(0)
    await takeScreenshots(page, 'compare-findings')
    check()
  })

  it('explains compressed files and archives, also if a wire is chosen', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/compare`, null)
    const hello = fixture('openai-chat/hello.stream.sse')
    await drop(page, 'hello.sse.gz', gzipSync(hello))
    await page.getByText('The file is compressed with gzip. Decompress it first').waitFor()
    await takeScreenshots(page, 'compare-gzip')
    await page.getByRole('combobox', { name: 'Wire' }).selectOption('openai-chat')
    await page.getByText('The file is compressed with gzip. Decompress it first').waitFor()
    await drop(page, 'hello.zip', Buffer.from('PK\u0003\u0004'))
    await page.getByText('The file is a ZIP archive.').waitFor()
    await drop(page, 'hello.br', brotliCompressSync(hello))
    await page.getByText('may be compressed with brotli').waitFor()
    await checkAccessibility(page)
    check()
  })

  it('opens recordings of the server without a key, and has words for a phone', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/compare`, null, TOUCH_PHONE)
    await page.getByText('Choose or paste a recorded provider response').waitFor()
    await takeScreenshot(page, 'compare-touch-empty')
    await page.getByRole('button', { name: 'anthropic-messages/reasoning' }).tap()
    await aligned(page, 'openai')
    await page.getByText('Tap a row or its words to pin them').waitFor()
    await rowOf(page, 0).tap()
    await page.getByText('Pinned: tap it again to release it').waitFor()
    await checkAccessibility(page)
    await takeScreenshot(page, 'compare-touch')
    check()
  })

  it('stays usable with a recording of 20,000 frames', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/compare`, null)
    const words = Array.from({ length: 20_000 }, (_, at) => `word${(at * 7919) % 100_003} `)
    await drop(page, 'long.sse', `${words.map(chunk).join('')}data: [DONE]\n\n`)
    await page.getByRole('progressbar').waitFor()
    await aligned(page, 'openai', 'anthropic-messages')
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    await page.getByText('No link', { exact: false }).waitFor()

    await grid(page).focus()
    await page.keyboard.press('End')
    await rowOf(page, 20_001).waitFor()
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight']) await page.keyboard.press(key)
    expect(await litTexts(page)).toEqual(Array(4).fill(words.at(-1)))
    expect(await shownRow(page)).toBe('Frame 19999')
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    check()
  })
})
