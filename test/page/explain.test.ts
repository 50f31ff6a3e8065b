import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY } from '../host/test-server.ts'
import {
  checkAccessibility,
  DESKTOP,
  hasChromium,
  openBrowser,
  openPage,
  PHONE,
  startPageServer,
  takeScreenshots,
} from './harness.ts'

const VENDORS = {
  openai: { key: 'key-of-openai' },
  anthropic: { key: 'key-of-anthropic' },
  google: { key: 'key-of-google' },
  cohere: { key: 'key-of-cohere' },
}

const cardOf = (page: Page, vendor: string) => page.getByRole('region', { name: vendor })
const summaryOf = (page: Page) => page.getByRole('region', { name: 'Summary' })
const rowOf = (page: Page, vendor: string) =>
  summaryOf(page)
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: vendor, exact: true }) })
const editorOf = (page: Page) => page.getByLabel('Request body')
const choose = (page: Page, example: string) => page.getByLabel('Example').selectOption({ label: example })

/** The texts of the cells of one vendor. */
const cellsOf = (page: Page, vendor: string): Promise<string[]> => rowOf(page, vendor).getByRole('cell').allInnerTexts()

describe.skipIf(!hasChromium)('the view Explain', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  const open = async (address = '/#/explain', options = {}) => {
    const { url } = await startPageServer({ vendors: VENDORS })
    const opened = await openPage(browser, `${url}${address}`, KEY, options)
    await rowOf(opened.page, 'openai').waitFor()
    return { ...opened, url }
  }

  it('shows a request for each vendor, with losses, breakpoints and the shared prefix', async () => {
    const { page, check } = await open()
    await choose(page, 'Coding agent: Claude Code')
    await rowOf(page, 'anthropic').getByText('passed on').waitFor()
    expect(await cellsOf(page, 'anthropic')).toEqual([
      'anthropic-messages',
      'passed on',
      '0',
      expect.stringMatching(/^\d,\d{3}$/),
      '3',
      expect.stringMatching(/^\d\d %$/),
      '0',
    ])
    expect((await cellsOf(page, 'google')).slice(0, 2)).toEqual(['gemini-generate', 'translated'])

    // The summary leads to the card by the keyboard, and a moved value to its counterpart.
    await rowOf(page, 'google').getByRole('button').press('Enter')
    const card = cardOf(page, 'google')
    await card.getByRole('table').waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('google')
    await card.getByText('dropped: only the vendor that issued it can read it').first().waitFor()
    await card.getByText(/Shared with the last request/).waitFor()
    await card.getByRole('button', { name: 'from max_tokens' }).press('Enter')
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('max_tokens: 32000'))

    // A fold opens by the keyboard, and the focus goes to its first line.
    const fold = card.getByRole('button', { name: /moved lines$/ }).first()
    await fold.press('Enter')
    await page.waitForFunction(() => document.activeElement?.matches('tr[data-row]'))

    await rowOf(page, 'anthropic').getByRole('button').click()
    await cardOf(page, 'anthropic').getByText('by the client at system[0].cache_control').first().waitFor()
    await checkAccessibility(page)
    check()
  })

  it('follows the user while a body is edited, and shows where it is not JSON', async () => {
    const { page, check } = await open()
    await choose(page, 'Plain text')
    const queries: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/page/api/explain')) queries.push(request.postData() ?? '')
    })
    await editorOf(page).fill('{\n  "model": "m",\n  "messages": [,]\n}')
    await page.getByText('expected a value or ]').waitFor()
    await page.getByRole('button', { name: 'Line 3, column 16' }).click()
    const selected = await editorOf(page).evaluate((field) => {
      const { selectionStart, selectionEnd, value } = field as HTMLTextAreaElement
      return value.slice(selectionStart, selectionEnd)
    })
    expect(selected).toBe(',')
    await page.getByText('The body is not JSON. The last explanation is shown.').waitFor()
    await page.keyboard.type('{"role":"user","content":"Hi"}', { delay: 5 })
    await editorOf(page).press('Control+End')
    await editorOf(page).press('ArrowLeft')
    await editorOf(page).press('ArrowLeft')
    await page.keyboard.type(', "logit_bias": {"5": 1}', { delay: 5 })
    await cardOf(page, 'openai').getByText('logit_bias', { exact: true }).first().waitFor()
    expect(JSON.parse(await editorOf(page).inputValue())).toMatchObject({ logit_bias: { 5: 1 } })
    // Not one for each key.
    expect(queries.length).toBeLessThan(8)

    await editorOf(page).fill('{"model": "m", "messages": 3}')
    await rowOf(page, 'openai').getByText('refused').waitFor()
    await cardOf(page, 'openai')
      .getByText(/messages: expected a list/)
      .waitFor()
    check()
  })

  it('explains the vendors and models that the user chooses', async () => {
    const { page, check } = await open()
    await page.getByText('Vendors (4 of').click()
    await page.getByRole('checkbox', { name: 'cohere cohere-chat' }).uncheck()
    await page.getByRole('checkbox', { name: 'groq openai-chat' }).check()
    await rowOf(page, 'groq').waitFor()
    expect(await rowOf(page, 'cohere').count()).toBe(0)
    await page.getByText('Vendors (4 of').click()
    await rowOf(page, 'groq').getByRole('button').click()
    const card = cardOf(page, 'groq')
    await card.getByLabel('Model').fill('llama-3.3-70b')
    await card.getByLabel('Model').press('Enter')
    await card.getByText('"llama-3.3-70b"').waitFor()
    await page.getByRole('button', { name: 'Keep as last request' }).click()
    await card.getByText('(100 %)').waitFor()
    check()
  })

  it('shows the request of its address, and only loads what a link contains', async () => {
    const { page, url, check } = await open()
    await choose(page, 'Images and files')
    await page.waitForFunction(() => location.hash.includes('model=gemini-3-pro'))
    const text = await editorOf(page).inputValue()
    const other = await openPage(browser, `${url}/${new URL(page.url()).hash}`, KEY)
    await rowOf(other.page, 'google').getByText('passed on').waitFor()
    expect(await editorOf(other.page).inputValue()).toBe(text)
    expect(await other.page.getByLabel('Client protocol').inputValue()).toBe('gemini-generate')
    const damaged = await openPage(browser, `${url}/#/explain?client=openai&body=AAAA`, KEY)
    await rowOf(damaged.page, 'openai').waitFor()
    expect(await damaged.page.getByLabel('Client protocol').inputValue()).toBe('openai-chat')
    const notice = damaged.page.getByRole('alert').filter({ hasText: 'The request in this link cannot be read' })
    await notice.waitFor()
    await checkAccessibility(damaged.page)
    await takeScreenshots(damaged.page, 'explain-damaged-link')
    await damaged.page.getByLabel('Example').selectOption({ index: 2 })
    await notice.waitFor({ state: 'detached' })
    other.check()
    check()
  })

  it.each([
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ])('has no findings of axe and no line beyond the window on %s', async (_, viewport) => {
    const { page, check } = await open('/#/explain', { viewport })
    await choose(page, 'Tools, parallel calls')
    await rowOf(page, 'cohere').getByRole('button').click()
    await cardOf(page, 'cohere').getByRole('table').waitFor()
    await checkAccessibility(page)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(viewport.width)
    await page.evaluate(() => scrollTo(0, 0))
    if (viewport === DESKTOP) await takeScreenshots(page, 'explain')
    check()
  })

  it('draws a request of a long conversation in parts, and prints its longest task', async () => {
    const { page, check } = await open()
    const messages = Array.from({ length: 2000 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `The message number ${at} of a long conversation`,
    }))
    await page.getByLabel('Client protocol').selectOption('openai-chat')
    await editorOf(page).fill(JSON.stringify({ model: 'long', messages }))
    await page.getByRole('button', { name: 'Format' }).click()
    await page.evaluate(() => {
      const tasks: number[] = []
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: 'longtask',
      })
      Object.assign(globalThis, { tasks })
    })
    await rowOf(page, 'google').getByRole('button').click()
    await cardOf(page, 'google').getByText('The message number 3 of').first().waitFor()
    const longest = await page.evaluate(() => Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks))
    process.stdout.write(`Explain: 2000 messages, longest task ${Math.round(longest)} ms\n`)
    expect(await page.locator('tr[data-row]').count()).toBeLessThanOrEqual(1000)
    await page
      .getByRole('button', { name: /^Show more of/ })
      .first()
      .click()
    check()
  })

  it('names the format of a dropped archive, and keeps the body', async () => {
    const { page, check } = await open()
    const before = await editorOf(page).inputValue()
    const transfer = await page.evaluateHandle(
      (bytes) => {
        const made = new DataTransfer()
        made.items.add(new File([new Uint8Array(bytes)], 'request.json.gz'))
        return made
      },
      [...gzipSync('{"model":"m"}')],
    )
    await page.dispatchEvent('.explain-field textarea', 'drop', { dataTransfer: transfer })
    await page.getByText('request.json.gz is compressed with gzip. Decompress it first').waitFor()
    expect(await editorOf(page).inputValue()).toBe(before)
    await checkAccessibility(page)
    check()
  })
})
