import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY } from '../host/test-server.ts'
import {
  checkAccessibility,
  enterKey,
  hasChromium,
  openBrowser,
  openPage,
  startPageServer,
  TOUCH_PHONE,
  takeScreenshot,
  takeScreenshots,
} from './harness.ts'
import { answerByModel, LONG_DELTAS, RICH_TEXT } from './live/live-upstream.ts'

const PROTOCOLS = [
  ['Responses (openai)', 'POST /v1/responses'],
  ['Responses (beta)', '/api/v1/responses'],
  ['Chat completions', '/chat/completions'],
  ['Anthropic messages', '/messages'],
  ['Gemini generateContent', ':streamGenerateContent?alt=sse'],
  ['Gemini Interactions', '/interactions'],
  ['Ollama chat', '/api/chat'],
] as const

describe.skipIf(!hasChromium)('the view Live', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  async function openLive(config: object = {}) {
    const server = await startPageServer(config, answerByModel)
    const opened = await openPage(browser, `${server.url}/#/live`, KEY)
    await opened.page.getByRole('button', { name: 'Send' }).waitFor()
    return { ...server, ...opened }
  }

  const send = async (page: Page, model: string): Promise<void> => {
    await page.getByLabel('Model').fill(model)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  const stateOf = (page: Page) => page.getByRole('status')
  const ended = async (page: Page, state: string): Promise<void> => {
    await page.getByRole('status').filter({ hasText: state }).waitFor()
  }

  it('counts 20,000 deltas, and keeps the ends of the text and of the frames in view', async () => {
    const { page, check } = await openLive()
    await send(page, 'acme/long')
    const isOver = (): boolean => document.querySelector('[role=status]')?.textContent?.includes('completed') === true
    // A locator would be looked up for each frame of the screen.
    await page.waitForFunction(isOver, null, { polling: 500 })
    const deltas = new RegExp(`Deltas\\s+${LONG_DELTAS.toLocaleString('en')}\\b`)
    expect(await page.locator('.live-figures').innerText()).toMatch(deltas)
    for (const list of ['.live-text', '.live-frame-box'])
      expect(
        await page.locator(list).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight),
      ).toBeLessThan(50)
    check()
  })

  it('draws an answer as it arrives, and marks the frame and the text of a selected delta', async () => {
    const { page, check } = await openLive()
    await send(page, 'acme/rich')
    await stateOf(page).filter({ hasText: 'streaming' }).waitFor()
    await page.getByRole('heading', { name: '1 Reasoning' }).waitFor()
    await takeScreenshots(page, 'live-streaming')
    await ended(page, 'completed')
    const text = page.getByLabel('Text of the answer')
    expect(
      await text
        .locator('.live-part-text p')
        .allTextContents()
        .then((all) => all.join('')),
    ).toBe(RICH_TEXT)
    expect(await text.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
      '1 Reasoningcompleted',
      '2 Messagecompleted',
      '3 Call get_weathercompleted',
      '4 Call get_weathercompleted',
    ])

    // From the tick to its frame and its text, by keyboard.
    const slider = page.getByRole('slider', { name: 'Delta' })
    await slider.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain('2 Message · "The "')
    const chosen = page.locator('.live-frame[aria-selected=true]')
    await expect.poll(() => chosen.textContent()).toContain('"delta":"The "')
    // The text of the frame comes first: the rest of its row is the same in every frame.
    expect(await chosen.locator('.live-frame-text').textContent()).toBe('"The "')
    const marked = (): Promise<string> =>
      page.evaluate(() => [...(CSS.highlights.get('live-selected') ?? [])].map(String).join(''))
    await expect.poll(marked).toBe('The ')

    // From the frame to its tick.
    await page.getByRole('listbox', { name: 'Raw frames' }).focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(marked).toBe('sky ')
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain('"sky "')
    expect(await page.getByLabel('The selected frame').textContent()).toContain('"delta": "sky "')

    // The source of a cited text.
    const cited = page.locator('a.live-cited')
    expect(await cited.textContent()).toBe('grows with the fourth power of the frequency')
    await cited.focus()
    expect(await page.getByRole('tooltip').textContent()).toContain('https://example.com/rayleigh')
    await takeScreenshots(page, 'live-source')

    await page.getByText('Items as a table').click()
    const rows = await page.getByRole('row').allTextContents()
    expect(rows[2]).toMatch(new RegExp(`^2 Messagecompleted.*s52${RICH_TEXT.length}1$`))
    await checkAccessibility(page)
    await takeScreenshots(page, 'live')
    check()
  })

  it('explains itself before the first request, and finds one of forty models by the keyboard', async () => {
    const models = Array.from({ length: 40 }, (_, i) => ({ match: `model-${i + 1}`, to: ['acme/rich-fast'] }))
    const { page, upstream, check } = await openLive({ models })
    await page.getByText('Each output item has a lane').waitFor()
    await checkAccessibility(page)
    await takeScreenshots(page, 'live-empty')
    const field = page.getByRole('combobox', { name: 'Model' })
    expect(await field.inputValue()).toBe('model-1')
    const names = page.getByRole('listbox', { name: 'Names of this server' }).getByRole('option')
    await field.focus()
    await page.keyboard.press('ArrowDown')
    // Forty rules, the models of the vendor, and the recordings.
    expect(await names.count()).toBeGreaterThan(40)
    await checkAccessibility(page)
    await takeScreenshots(page, 'live-models')
    await page.keyboard.type('del 17')
    expect(await names.allTextContents()).toEqual(['model-17'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect([await field.inputValue(), await names.count()]).toEqual(['model-17', 0])
    await page.keyboard.press('Control+Enter')
    await ended(page, 'completed')
    expect(upstream.received.at(-1)?.body.model).toBe('rich-fast')
    // A pointer chooses, too; Escape leaves the name as it is.
    await field.click()
    await names.filter({ hasText: /^model-40$/ }).click()
    await field.press('ArrowDown')
    await field.press('Escape')
    expect([await field.inputValue(), await names.count()]).toEqual(['model-40', 0])
    // The focus is nowhere after a click on a text, as it is after the page has been opened.
    await page.locator('.live-path').click()
    const sent = upstream.received.length
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => upstream.received.length).toBe(sent + 1)
    check()
  })

  it('explains the page without a key, and leads to the views that need none', async () => {
    const { url } = await startPageServer({}, answerByModel)
    const { page, check } = await openPage(browser, url, null)
    await page.getByRole('heading', { name: 'millrace translates LLM streams' }).waitFor()
    await checkAccessibility(page)
    await takeScreenshots(page, 'live-welcome')
    const list = page.getByRole('main')
    await list.getByRole('link', { name: 'Explain' }).click()
    await page
      .getByRole('region', { name: 'Summary' })
      .getByRole('button', { name: 'anthropic', exact: true })
      .waitFor()
    await takeScreenshots(page, 'explain-without-key')
    await page.getByRole('navigation').getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('button', { name: 'anthropic-messages/reasoning' }).click()
    await page.getByRole('columnheader', { name: 'openai' }).first().waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Live' }).click()
    await page.getByText('Compare and Explain need no key').waitFor()
    await enterKey(page, KEY)
    await page.getByRole('button', { name: 'Send' }).waitFor()
    check()
  })

  it('begins with a prompt that the first model answers, and has words for a phone', async () => {
    const { url } = await startPageServer({ vendors: {} })
    const { page, check } = await openPage(browser, `${url}/#/live`, KEY, TOUCH_PHONE)
    await page.getByRole('button', { name: 'Send' }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('replay/anthropic-messages/search')
    expect(await page.getByLabel('Prompt').inputValue()).toBe('Which lighthouse is the oldest one still in use?')
    expect(await page.locator('.live-empty kbd').count()).toBe(0)
    await page.getByRole('button', { name: 'Send' }).tap()
    await ended(page, 'completed')
    expect(await page.getByLabel('Text of the answer').textContent()).toContain('it is a Roman tower')
    await page.getByText('A tap selects a delta').waitFor()
    await checkAccessibility(page)
    await takeScreenshot(page, 'live-touch')
    check()

    const models = ['acme/text-embedding-3', 'acme/whisper-1', 'acme/small'].map((match) => ({ match, to: ['acme/m'] }))
    const other = await startPageServer({ models })
    const second = await openPage(browser, `${other.url}/#/live`, KEY)
    await second.page.getByRole('button', { name: 'Send' }).waitFor()
    expect(await second.page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('acme/small')
  })

  it('has the same lanes for every client protocol', async () => {
    const { page, upstream, check } = await openLive()
    const prompt = await page.getByLabel('Prompt').inputValue()
    for (const [name, path] of PROTOCOLS) {
      await page.getByLabel('Client protocol').selectOption({ label: name })
      await page.getByLabel('Tools').check()
      expect(await page.locator('.live-path').textContent()).toContain(path)
      const before = upstream.received.length
      await send(page, 'acme/rich-fast')
      // The answer before this one is completed, too.
      await expect.poll(() => upstream.received.length).toBe(before + 1)
      await expect
        .poll(() =>
          page
            .locator('.live-part-text p')
            .allTextContents()
            .then((all) => all.join('')),
        )
        .toBe(RICH_TEXT)
      await ended(page, 'completed')
      const titles = await page.locator('.live-lane-title').allTextContents()
      expect([name, titles]).toEqual([name, ['1 Reasoning', '2 Message', '3 Call get_weather', '4 Call get_weather']])
      const { body } = upstream.received.at(-1) ?? { body: {} }
      expect(JSON.stringify(body)).toContain(prompt)
      expect(JSON.stringify(body)).toContain('get_weather')
    }
    check()
  })

  it('keeps form and JSON in step, and names the place of a fault', async () => {
    const { page, check } = await openLive()
    const json = page.getByLabel('Body (JSON)')
    await page.getByLabel('Prompt').fill('Hello "you"')
    await page.getByLabel('Reasoning effort').selectOption('high')
    expect(JSON.parse(await json.inputValue())).toMatchObject({ input: 'Hello "you"', reasoning: { effort: 'high' } })
    await json.fill('{"model": "acme/rich", "input": "From JSON", "temperature": 0.5}')
    expect(await page.getByLabel('Prompt').inputValue()).toBe('From JSON')
    await page.getByLabel('System').fill('Be short.')
    expect(JSON.parse(await json.inputValue())).toMatchObject({ temperature: 0.5, instructions: 'Be short.' })

    await json.fill('{\n  "model": "acme/rich",\n  "input" 1\n}')
    await page.getByText('Line 3, column 11: expected a colon after the name of a member').waitFor()
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    expect(await page.getByLabel('Prompt').isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Go to the fault' }).click()
    expect(await json.evaluate((field: HTMLTextAreaElement) => [field.selectionStart, field.selectionEnd])).toEqual([
      36, 37,
    ])
    await checkAccessibility(page)
    await takeScreenshots(page, 'live-fault')
    check()
  })

  it('keeps the form over a reload, but not the key', async () => {
    const { page, check } = await openLive()
    await page.getByLabel('Client protocol').selectOption('Anthropic messages')
    const json = page.getByLabel('Body (JSON)')
    await json.fill('{"model": "acme/rich", "max_tokens": 7, "messages": [{"role": "user", "content": "Kept"}]}')
    await page.waitForFunction(() => history.state?.text?.includes('Kept'))
    await page.reload()
    await enterKey(page, KEY)
    await page.getByRole('button', { name: 'Send' }).waitFor()
    expect(await page.getByLabel('Client protocol').inputValue()).toBe('anthropic-messages')
    expect(await page.getByLabel('Prompt').inputValue()).toBe('Kept')
    expect(JSON.parse(await json.inputValue())).toMatchObject({ max_tokens: 7 })
    check()
  })

  it('draws JSON in colour at the place of its characters, and a long one without', async () => {
    const { page, check } = await openLive()
    const json = page.getByLabel('Body (JSON)')
    const coloured = () =>
      page.evaluate(() =>
        ['json-name', 'json-text', 'json-value'].map((name) =>
          [...(CSS.highlights.get(name) ?? [])].map(({ startContainer, startOffset, endOffset }) =>
            startContainer.textContent?.slice(startOffset, endOffset),
          ),
        ),
      )
    await json.fill('{"a\\"b" : [-1.5e3, true, "x: \\"y\\""], "c":"open')
    expect(await coloured()).toEqual([
      ['"a\\"b"', '"c"'],
      ['"x: \\"y\\""', '"open'],
      ['-1.5e3', 'true'],
    ])
    const text = JSON.stringify({ model: 'acme/rich', input: 'word '.repeat(300) }, null, 2)
    await json.fill(text)
    const sizes = await page.locator('.json-field').evaluate((box) =>
      [...box.children].map((one) => {
        one.scrollTop = 1e6
        return [one.clientWidth, one.scrollHeight, one.scrollTop]
      }),
    )
    expect(sizes[0]).toEqual(sizes[1])
    await json.fill(JSON.stringify({ model: 'acme/rich', input: 'x'.repeat(100_000) }))
    expect(await page.locator('.json-field.coloured').count()).toBe(0)
    expect(await coloured()).toEqual([[], [], []])
    check()
  })

  it('stops an answer, and closes the request to the upstream', async () => {
    const { page, upstream, check } = await openLive()
    await send(page, 'acme/endless')
    await page.getByText('more more').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await ended(page, 'stopped')
    await upstream.received[0]?.closed
    expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
    check()
  })

  it('shows the failure of a request with its status, an answer that breaks, an image, and what was not carried', async () => {
    const { page } = await openLive()
    await send(page, 'acme/refused')
    await ended(page, 'failed')
    expect(await page.getByRole('alert').textContent()).toMatch(/The server answered with status 5\d\d/)
    expect(await page.getByRole('alert').textContent()).toContain('upstream_authentication')
    expect(await page.getByLabel('Text of the answer').textContent()).toContain('"code": "upstream_authentication"')
    await checkAccessibility(page)
    await takeScreenshots(page, 'live-failed')
    await send(page, 'acme/broken')
    await page.getByRole('alert').getByText('upstream_disconnected').waitFor()
    expect(await page.locator('.live-item-state').allTextContents()).toEqual(['completed', 'incomplete'])
    await checkAccessibility(page)
    await takeScreenshots(page, 'live-broken')
    await send(page, 'acme/image')
    await ended(page, 'completed')
    const image = page.getByRole('img', { name: 'Generated image' })
    expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1)
    await page.getByLabel('Body (JSON)').fill('{"model": "acme/rich-fast", "input": "Hi", "stream": true, "top_k": 3}')
    await page.getByRole('button', { name: 'Send' }).click()
    await ended(page, 'completed')
    expect(await page.locator('.live-losses').textContent()).toContain('top_k')
  })
})
