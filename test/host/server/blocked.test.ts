import { expect, it } from 'vitest'
import { measure } from '../../../tools/blocked/blocked.ts'
import { REQUEST_ROWS } from '../../../tools/blocked/request-rows.ts'
import { largestParseMs } from '../../../tools/blocked/thread-time.ts'

/** The cheapest rows of `npm run test:blocked`, one after the other against one server. */
const CHEAP = ['1,000,000 invalid items (8 MB)', 'metadata of 7 MB', 'a path of 16,000 slashes, no key (10 times)']

/** On a slow machine, six times what `JSON.parse` alone takes there for the largest body. */
const mostWorkMs = (): number => Math.max(400, 6 * largestParseMs())

it('a server is not blocked for long by any of these loads', async () => {
  const rows = CHEAP.map((name) => {
    const row = REQUEST_ROWS.find((one) => one.name === name)
    if (row === undefined) throw new Error(`there is no row "${name}"`)
    return row
  })
  const most = mostWorkMs()
  for (const { name, workMs, rssMiB, alive } of await measure(rows)) {
    expect([name, alive]).toEqual([name, true])
    // Processor time, because other programs may use the machine as well. Earlier, each of these rows took seconds.
    expect(workMs, name).toBeLessThan(most)
    expect(rssMiB ?? 0, name).toBeLessThan(400)
  }
})
