import { expect, it } from 'vitest'
import { measure } from '../complexity/blocked.ts'
import { REQUEST_ROWS } from '../complexity/request-rows.ts'

/** A few rows of `npm run test:blocked` that take little time, against one server in turn. */
const CHEAP = ['1,000,000 invalid items (8 MB)', 'metadata of 7 MB', 'a path of 16,000 slashes, no key (10 times)']

it('no load blocks a server for long', async () => {
  const rows = CHEAP.map((name) => {
    const row = REQUEST_ROWS.find((one) => one.name === name)
    if (row === undefined) throw new Error(`there is no row "${name}"`)
    return row
  })
  for (const { name, workMs, rssMiB, alive } of await measure(rows)) {
    expect([name, alive]).toEqual([name, true])
    // Of processor time: others may have the machine. Before, each took seconds.
    expect(workMs, name).toBeLessThan(400)
    expect(rssMiB ?? 0, name).toBeLessThan(400)
  }
})
