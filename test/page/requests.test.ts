import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RequestEntry } from '../../src/page-api/request-entry.ts'
import { KEY, post, REQUEST } from '../host/test-server.ts'
import { bodyOf, inPieces, streamOf, withBody } from '../mock-upstreams/server.ts'
import {
  checkAccessibility,
  DESKTOP,
  hasChromium,
  openBrowser,
  openPage,
  startPageServer,
  takeScreenshots,
} from './harness.ts'

const textsOf = (page: Page, column: string): Promise<string[]> =>
  page.locator(`tbody td.column-${column}`).allInnerTexts()

const NO_TEMPERATURE = {
  error: {
    message: "Unsupported parameter: 'temperature' is not supported with this model.",
    type: 'invalid_request_error',
    param: 'temperature',
    code: 'unsupported_parameter',
  },
}

/** As long as the longest names of today's models. */
const LONG_MODEL = 'acme/claude-sonnet-4-5-20250929-thinking'

const rowOf = (page: Page, model: string) => page.getByRole('row').filter({ hasText: model })

describe.skipIf(!hasChromium)('the view Requests', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it('shows requests as they begin, run and end, and is filtered, sorted and opened by the keyboard', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let failures = 0
    const { url } = await startPageServer(
      {
        page: { content: true },
        retry: { first_delay_ms: 1 },
        models: [{ match: 'best', to: ['acme/busy', 'acme/good'] }],
      },
      async (response, received) => {
        if (received.body.model === 'slow') await held
        if (received.body.model === 'broken') return void response.writeHead(400).end('{"error":{"message":"No."}}')
        if (received.body.model === 'busy') {
          failures += 1
          return void response.writeHead(529).end('{"error":{"message":"Overloaded."}}')
        }
        if (received.body.model === 'strict' && received.body.temperature !== undefined)
          return void response.writeHead(400).end(JSON.stringify(NO_TEMPERATURE))
        const isStream = received.body.stream === true
        await (isStream ? inPieces(streamOf('Hel', 'lo'), 64) : withBody(bodyOf('Hello')))(response, received)
      },
    )
    const { page, check } = await openPage(browser, `${url}/#/requests`, KEY)
    await page.getByText('No request since the server started.').waitFor()
    await takeScreenshots(page, 'requests-empty')
    await checkAccessibility(page)
    await (await post(url, { ...REQUEST, model: 'acme/fine' })).text()
    await (await post(url, { ...REQUEST, model: 'acme/broken' })).text()
    await (await post(url, { ...REQUEST, model: 'best', stream: false, top_k: 3, input: 'Who was Ada?' })).text()
    const chat = { model: 'acme/chatty', messages: [{ role: 'user', content: 'Hi' }] }
    await (await post(url, chat, { path: '/api/v1/chat/completions' })).text()
    const open = post(url, { ...REQUEST, model: 'acme/slow', stream: false })
    await rowOf(page, 'acme/slow').locator('.column-status').getByText('running').waitFor()
    await page.getByText('5 requests, 1 running').waitFor()
    expect(await textsOf(page, 'model')).toEqual(['acme/slow', 'acme/chatty', 'best', 'acme/broken', 'acme/fine'])
    expect(await textsOf(page, 'body')).toEqual(['translated', 'passed', 'translated', 'translated', 'translated'])
    // The last one counts as soon as it is made.
    await expect.poll(() => textsOf(page, 'attempts')).toEqual(['1', '1', '2', '1', '1'])
    expect(failures).toBe(1)

    release()
    await (await open).text()
    await rowOf(page, 'acme/slow').getByText('completed').waitFor({ state: 'attached' })
    await page.getByText('5 requests', { exact: true }).waitFor()

    await page.keyboard.press('/')
    await page.keyboard.type('is:failed')
    await page.getByText('1 of 5 requests').waitFor()
    expect(await textsOf(page, 'model')).toEqual(['acme/broken'])
    await expect.poll(() => page.url()).toContain('#/requests?filter=is%3Afailed')
    // The reason stands in the list. The button of the same filter is pressed, and removes it.
    expect((await textsOf(page, 'status'))[0]).toMatch(/^400 \w+/)
    const failed = page.getByRole('button', { name: 'failed' })
    expect(await failed.getAttribute('aria-pressed')).toBe('true')
    await failed.press('Enter')
    await page.getByText('5 requests', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'retried' }).press('Enter')
    await page.getByText('1 of 5 requests').waitFor()
    expect(await textsOf(page, 'model')).toEqual(['best'])
    await page.getByLabel('Filter').fill('nothing:fits')
    await checkAccessibility(page)
    await page.getByRole('button', { name: 'Clear the filter' }).click()

    await page.getByRole('button', { name: 'Total' }).press('Enter')
    await page.getByRole('columnheader', { name: 'Total' }).and(page.locator('[aria-sort=descending]')).waitFor()
    const headers = { authorization: `Bearer ${KEY}` }
    const { data } = (await (await fetch(`${url}/page/api/requests`, { headers })).json()) as {
      data: readonly RequestEntry[]
    }
    // Two of them may have taken the same number of milliseconds.
    const durations = new Map(data.map(({ model, durationMs }) => [model, durationMs ?? 0]))
    const shown = (await textsOf(page, 'model')).map((model) => durations.get(model) ?? -1)
    expect(shown).toHaveLength(data.length)
    expect(shown).toEqual([...shown].sort((one, other) => other - one))
    await page.getByRole('button', { name: 'Time' }).click()

    await takeScreenshots(page, 'requests-list')
    await checkAccessibility(page)
    /** The names of models that are cut. */
    const cutNames = () =>
      page
        .locator('tbody .column-model button')
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent))
    await (await post(url, { ...REQUEST, model: LONG_MODEL })).text()
    await rowOf(page, LONG_MODEL).waitFor()
    await takeScreenshots(page, 'requests-long-name')
    // Names of models stay readable beside the other columns, whatever the width.
    for (const width of [1920, 1590, 1510, 1440, 1280, 1210, 1024, 700, 400]) {
      await page.setViewportSize({ width, height: 800 })
      const sizes = await page
        .locator('tbody tr:first-child td:visible')
        .evaluateAll((cells) => cells.map((cell) => cell.clientWidth))
      expect([width, Math.min(...sizes) >= 32]).toEqual([width, true])
      expect([width, await cutNames()]).toEqual([width, []])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
    await page.setViewportSize(DESKTOP)

    // From the sorted heads, Tab leads to the list, which has one stop.
    await page.getByRole('button', { name: 'Output' }).focus()
    await page.keyboard.press('Tab')
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
    const details = page.getByRole('complementary')
    await details.getByRole('heading', { name: 'best' }).waitFor()
    await details.getByRole('heading', { name: '2 attempts' }).waitFor()
    expect(await details.getByRole('listitem').first().innerText()).toMatch(/acme\/busy\s+\w+/)
    await details.getByText('acme/good').first().waitFor()
    expect(await details.getByLabel('Request text').inputValue()).toBe('user: Who was Ada?')
    expect(await details.getByLabel('Answer text').inputValue()).toBe('Hello')
    await checkAccessibility(page)
    await takeScreenshots(page, 'requests')
    // Beside the details as well.
    for (const width of [1700, 1280, 1210, 1024, 400]) {
      await page.setViewportSize({ width, height: 800 })
      expect([width, await cutNames()]).toEqual([width, []])
    }
    await page.setViewportSize(DESKTOP)

    await page.keyboard.press('ArrowUp')
    await details.getByRole('heading', { name: 'acme/chatty' }).waitFor()
    await page.reload()
    await page.getByLabel('Key', { exact: true }).fill(KEY)
    await page.keyboard.press('Enter')
    await details.getByRole('heading', { name: 'acme/chatty' }).waitFor()

    // What a refusal has shown about the model.
    await (await post(url, { ...REQUEST, model: 'acme/strict', stream: false, temperature: 0.5 })).text()
    await rowOf(page, 'acme/strict').getByRole('button').click()
    await details.getByRole('heading', { name: 'Learned from refusals (1)' }).waitFor()
    expect(await details.getByRole('region', { name: 'Learned from refusals' }).innerText()).toContain('temperature')
    await checkAccessibility(page)
    await takeScreenshots(page, 'requests-learned')
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    expect(page.url()).not.toContain('open=')
    check()
  })
})
