import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { KEY } from '../host/test-server.ts'
import { checkAccessibility, hasChromium, openBrowser, openPage, startPageServer, takeScreenshots } from './harness.ts'

const chunk = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
/** A stream with a damaged frame, which is cut. */
const CUT = `${chunk('Hello')}data: not json\n\n${chunk(', "you"\n')}${chunk(' and')}`

const ZIP = Buffer.from('504b0304140000000800', 'hex')
const PAGE = Buffer.from('<!doctype html><html><h1>502 Bad Gateway</h1></html>')

async function inFile(name: string, content: string): Promise<string> {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'millrace-')), name)
  await writeFile(file, content)
  return file
}

const choose = (page: Page, name: string, bytes: Buffer): Promise<void> =>
  page.getByLabel('File of a recording').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes })

/** The texts of one column of the details, each with its label. */
const detailsOf = (page: Page, title: string): Promise<readonly (readonly [string, string])[]> =>
  page
    .locator('.compare-text')
    .filter({ has: page.getByRole('heading', { name: title, exact: true }) })
    .locator('pre')
    .evaluateAll((texts) =>
      texts.map((text) => [text.previousElementSibling?.textContent ?? '', text.textContent ?? ''] as const),
    )

describe.skipIf(!hasChromium)('the page shows the same as the commands', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it('in Compare: the output of translate, the deltas of trace, and how each target ended', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/compare?to=openai,beta,ollama-chat`, null)
    await choose(page, 'cut.sse', Buffer.from(CUT))
    const targets = ['openai', 'beta', 'ollama-chat']
    for (const name of targets) await page.getByRole('columnheader', { name: `${name} failed` }).waitFor()
    await page.getByRole('grid').focus()
    await page.keyboard.press('Home')
    const written = new Map<string, string[]>(targets.map((name) => [name, []]))
    const deltas: unknown[] = []
    const rows = await page.getByRole('grid').getAttribute('aria-rowcount')
    for (let row = 1; row < Number(rows); row += 1) {
      for (const name of targets) written.get(name)?.push(...(await detailsOf(page, name)).map(([, text]) => text))
      for (const [kind, text] of await detailsOf(page, 'Deltas')) deltas.push({ kind, ...JSON.parse(text) })
      await page.keyboard.press('ArrowDown')
    }
    const file = await inFile('cut.sse', CUT)
    for (const name of targets) {
      const { output } = await runCommand(['translate', '--from', 'openai-chat', '--to', name, file])
      const end = name === 'ollama-chat' ? '\n' : '\n\n'
      expect(`${written.get(name)?.join(end)}${end}`).toBe(output)
    }
    const traced = await runCommand(['trace', '--from', 'openai-chat', '--json', file])
    const lines = traced.output.trimEnd().split('\n')
    expect(deltas).toEqual(lines.flatMap((line) => JSON.parse(line).deltas ?? []))
    check()
  })

  it('in Compare: why a file is no recording, and that a chosen wire does not fit', async () => {
    const { url } = await startPageServer()
    const { page, check } = await openPage(browser, `${url}/#/compare`, null)
    await page.getByRole('button', { name: 'Choose a file…' }).waitFor()
    await checkAccessibility(page)
    await choose(page, 'archive.zip', ZIP)
    await page.getByText('is a ZIP archive.').waitFor()
    await choose(page, 'answer.html', PAGE)
    await page.getByText('This is an HTML page').waitFor()
    await page.getByText('<h1>502 Bad Gateway</h1>').waitFor()
    await checkAccessibility(page)
    await takeScreenshots(page, 'compare-unknown')
    await choose(page, 'cut.sse', Buffer.from(CUT))
    await page.getByLabel('Wire').selectOption('anthropic-messages')
    await page.getByText('The bytes look like openai-chat.').waitFor()
    await page.getByRole('button', { name: 'Use openai-chat' }).click()
    await page.getByText('The bytes look like').waitFor({ state: 'detached' })
    check()
  })

  it('in Explain: the losses of explain, and the protocol that a body has', async () => {
    const { url } = await startPageServer({ vendors: { anthropic: { key: 'key-of-anthropic' } } })
    const { page, check } = await openPage(browser, `${url}/#/explain`, KEY)
    await page.getByLabel('Example').selectOption({ label: 'Tools, parallel calls' })
    const card = page.getByRole('region', { name: 'anthropic' })
    await card.getByRole('button', { name: 'logprobs', exact: true }).first().waitFor()
    const shown = await card
      .locator('.explain-notes .entry')
      .evaluateAll((entries) => entries.map((entry) => Array.from(entry.children, (child) => child.textContent ?? '')))
    const body = await page.getByLabel('Request body').inputValue()
    const file = await inFile('request.json', body)
    const explained = await runCommand(['explain', '--vendor', 'anthropic', '--client', 'openai-chat', '--json', file])
    const { losses } = JSON.parse(explained.output) as {
      losses: readonly { path: string; action: string; why: string }[]
    }
    expect(losses.length).toBeGreaterThan(1)
    const expected = losses.map(({ path, action, why }) => ['loss', path, `${action}: ${why}`])
    expect(shown.filter(([kind]) => kind === 'loss').sort()).toEqual(expected.sort())

    await card.getByRole('button', { name: 'logprobs', exact: true }).first().press('Enter')
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('logprobs'))
    await page.getByLabel('Client protocol').selectOption('ollama-chat')
    await page.getByText('The body looks like Chat completions.').waitFor()
    await checkAccessibility(page)
    await page.getByRole('button', { name: 'Use Chat completions' }).click()
    expect(await page.getByLabel('Client protocol').inputValue()).toBe('openai-chat')
    check()
  })
})
