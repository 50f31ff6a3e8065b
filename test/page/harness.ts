import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { StartOptions } from '../../src/host/start-options.ts'
import { startGateway, type TestServer, whenDone } from '../host/test-server.ts'
import { type Behaviour, bodyOf, startMockUpstream, withBody } from '../mock-upstreams/server.ts'

/** Tests of the page in a real browser: a server on loopback, a mock upstream, and pages that may reach nothing else. */

const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Whether the tests of the page can run on this machine. */
export const hasChromium = existsSync(PROGRAM)
if (!hasChromium) process.stdout.write(`NOT TESTED: there is no Chromium at ${PROGRAM}\n`)

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Without it, browsers in containers crash for lack of shared memory.
  '--disable-dev-shm-usage',
]

/** Starts the browser, which all tests of a file share. */
export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: PROGRAM, args: ARGS })

/**
 * Starts a server with a page, whose vendor `acme` is a mock with the wire `openai-chat`. The configuration may replace
 * any part, also the vendors; `keys: []` gives the server a development key.
 */
export async function startPageServer(
  config: object = {},
  behave: Behaviour = withBody(bodyOf('Hello')),
  options: StartOptions = {},
): Promise<TestServer> {
  const upstream = await startMockUpstream(behave)
  whenDone(upstream.close)
  const acme = { wire: 'openai-chat', base_url: upstream.url, key: { env: 'ACME_KEY' } }
  // A mock has no list of models worth waiting for.
  const server = await startGateway({ vendors: { acme }, model_lists: { ask: false }, ...config }, options)
  return { ...server, upstream }
}

export interface TestPage {
  readonly page: Page
  /** Errors of scripts, refusals of the content security policy, and requests beyond loopback: none in a good page. */
  readonly faults: readonly string[]
  /** Fails if the page has any fault so far. */
  check(): void
}

export const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 400, height: 800 }
/** A phone with a finger in place of a pointer and a keyboard. */
export const TOUCH_PHONE: BrowserContextOptions = { viewport: PHONE, hasTouch: true, isMobile: true }

/** Opens an address of the server, such as `/#/requests`, with this key. `key`: null to enter it by hand. */
export async function openPage(
  browser: Browser,
  url: string,
  key: string | null,
  options: BrowserContextOptions = {},
): Promise<TestPage> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options })
  whenDone(() => context.close())
  // A browser on a busy machine needs more than the default of 30 s.
  context.setDefaultTimeout(240_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // The refusal of a missing or wrong key is part of some tests.
    if (message.type() === 'error' && !message.text().includes('401')) faults.push(`console: ${message.text()}`)
  })
  await context.route('**', (route) => {
    const { hostname, protocol } = new URL(route.request().url())
    if (protocol === 'data:' || protocol === 'blob:' || hostname === '127.0.0.1') return route.continue()
    faults.push(`request beyond loopback: ${route.request().url()}`)
    return route.abort()
  })
  await page.goto(url)
  if (key !== null) await enterKey(page, key)
  return { page, faults, check: () => expect(faults).toEqual([]) }
}

/** Enters the key as a user does. */
export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Use', exact: true }).click()
}

const SCREENSHOTS = fileURLToPath(new URL('screenshots/', import.meta.url))

/** Writes `test/page/screenshots/NAME.png` if the variable `SCREENSHOTS` is set: for readers, no test compares them. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}${name}.png` })
}

/** Writes `NAME-{1280,400}-{light,dark}.png` in the same way. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS === undefined) return
  for (const viewport of [DESKTOP, PHONE]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await takeScreenshot(page, `${name}-${viewport.width}-${colorScheme}`)
    }
  }
  await page.setViewportSize(DESKTOP)
  await page.emulateMedia({ colorScheme: null })
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeFinding {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Fails if axe finds anything, in the light or in the dark theme. */
export async function checkAccessibility(page: Page): Promise<void> {
  // The page's policy forbids scripts in it, but not those of the browser's own tools.
  await page.evaluate(AXE)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const findings = await page.evaluate(async (): Promise<readonly AxeFinding[]> => {
      const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: readonly AxeFinding[] }> } }
      return (await axe.run()).violations
    })
    const shown = findings.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
    }))
    expect({ colorScheme, findings: shown }).toEqual({ colorScheme, findings: [] })
  }
  await page.emulateMedia({ colorScheme: null })
}
