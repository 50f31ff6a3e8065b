import { loadavg } from 'node:os'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY } from '../../test/host/test-server.ts'
import { hasChromium, openBrowser, openPage, startPageServer } from '../../test/page/harness.ts'
import { answerByModel, LONG_DELTAS } from '../../test/page/live/live-upstream.ts'

/** Frames of the screen between two times, as the page itself received them. */
interface Measured {
  readonly seconds: number
  readonly frames: number
  /** Frames that a screen of 60 Hz would have had beside them. */
  readonly lost: number
  /** Tasks above 50 ms, in milliseconds. */
  readonly longTasks: readonly number[]
  /** Seconds of a processor that the page used: the same on a busy machine. */
  readonly used: number
}

/** A lost frame counts for each 1/60 s that passed without one. */
const MOST_LOST_PER_SECOND = 10
/** Seconds of a processor for the whole stream, which lasts at least eight seconds. */
const MOST_USED = 6
/** Upstream, server, browser and other programs share the processors: the best attempt counts. */
const ATTEMPTS = 3

declare global {
  interface Window {
    frameTimes: number[]
    longTasks: number[]
  }
}

async function startMeasuring(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.frameTimes = []
    window.longTasks = []
    const next = (time: number): void => {
      window.frameTimes.push(time)
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration)
    }).observe({ type: 'longtask' })
  })
}

async function usedBy(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}

const takeMeasured = (page: Page): Promise<Omit<Measured, 'used'>> =>
  page.evaluate(() => {
    const { frameTimes: times, longTasks } = window
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number))
    const lost = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round((gap * 60) / 1000) - 1), 0)
    return { seconds: ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000, frames: times.length, lost, longTasks }
  })

describe.skipIf(!hasChromium)('the view Live, while a stream of 20,000 deltas arrives', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  /** Sends the request in a new page, and measures its frames from the click to the end of the answer. */
  async function measure(url: string): Promise<Measured> {
    const { page, check } = await openPage(browser, `${url}/#/live`, KEY)
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await page.getByLabel('Model').fill('acme/long')
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const before = await usedBy(session)
    await startMeasuring(page)
    await page.getByRole('button', { name: 'Send' }).click()
    // A locator would be looked up for each frame of the screen, which costs more than what is measured.
    const isOver = (): boolean => document.querySelector('[role=status]')?.textContent?.includes('completed') === true
    await page.waitForFunction(isOver, null, { polling: 500, timeout: 60_000 })
    const measured = { ...(await takeMeasured(page)), used: (await usedBy(session)) - before }
    const figures = await page.locator('.live-figures').innerText()
    expect(figures).toMatch(new RegExp(`Deltas\\s+${LONG_DELTAS.toLocaleString('en')}\\b`))
    check()
    await page.close()
    return measured
  }

  it('loses fewer than 10 frames a second, and leaves the processor idle most of the time', async () => {
    const { url } = await startPageServer({}, answerByModel)
    const all: Measured[] = []
    const isGood = ({ lost, seconds }: Measured): boolean => lost / seconds < MOST_LOST_PER_SECOND
    while (all.length < ATTEMPTS && !all.some(isGood)) {
      const measured = await measure(url)
      all.push(measured)
      process.stdout.write(`${describeMeasured(measured)}\n`)
    }
    expect(Math.min(...all.map(({ used }) => used))).toBeLessThan(MOST_USED)
    expect(all.some(isGood)).toBe(true)
  }, 200_000)
})

function describeMeasured({ seconds, frames, lost, longTasks, used }: Measured): string {
  const longest = Math.round(Math.max(0, ...longTasks))
  const rate = (lost / seconds).toFixed(1)
  return `${LONG_DELTAS} deltas in ${seconds.toFixed(1)} s: ${frames} frames drawn, ${rate} lost a second, ${longTasks.length} tasks above 50 ms, the longest ${longest} ms, ${used.toFixed(1)} s of a processor; load ${loadavg()[0]?.toFixed(1)}`
}
