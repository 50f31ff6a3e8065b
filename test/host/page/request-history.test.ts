import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Key } from '../../../src/gateway/auth/auth.ts'
import { Journal, summaryOf } from '../../../src/gateway/exchange/journal.ts'
import type { KeptForPage, RequestHistory } from '../../../src/gateway/exchange/kept-texts.ts'
import { createRequestHistory } from '../../../src/host/page/request-history.ts'
import { KEPT_REQUESTS } from '../../../src/page-api/request-entry.ts'

const VIEWER: Key = {
  name: 'manager',
  kind: 'management',
  workspace: null,
  id: 'manager',
  rateLimit: null,
  hash: new Uint8Array(32),
  models: null,
  label: null,
  isDevelopment: false,
}

const contextOf = (id: string) => ({ id, journal: new Journal(id, 'POST') })

/** Counts the entries of maps that are visited while it runs. */
function countVisits(run: () => void): number {
  let visits = 0
  const original = Map.prototype[Symbol.iterator]
  vi.spyOn(Map.prototype, Symbol.iterator).mockImplementation(function* (this: Map<unknown, unknown>) {
    for (const entry of original.call(this)) {
      visits += 1
      yield entry
    }
  } as typeof original)
  run()
  vi.restoreAllMocks()
  return visits
}

const end = (history: RequestHistory, row: KeptForPage): void => history.end(row, summaryOf(row.journal))

afterEach(() => vi.restoreAllMocks())

describe('the history of requests', () => {
  it.each([false, true])('visits at most one other request for each one, with content: %s', (content) => {
    const history = createRequestHistory(content, () => 0)
    const ended = 3 * KEPT_REQUESTS
    const visits = countVisits(() => {
      for (let n = 0; n < ended; n += 1) end(history, history.begin(contextOf(`r${n}`)))
    })
    expect(visits).toBeLessThanOrEqual(ended)
    expect(history.list(VIEWER)).toHaveLength(KEPT_REQUESTS)
  })

  it('drops the oldest texts when all of them are longer than two million characters', () => {
    const history = createRequestHistory(true, () => 0)
    const text = 'x'.repeat(16_000)
    for (let n = 0; n < KEPT_REQUESTS; n += 1) {
      const record = history.begin(contextOf(`r${n}`))
      if (record.content !== null) record.content.request = text
      end(history, record)
    }
    const kept = history.list(VIEWER).filter(({ content }) => content !== null)
    expect(kept).toHaveLength(Math.min(KEPT_REQUESTS, Math.floor((2 * 1024 * 1024) / text.length)))
    expect(kept.at(-1)?.id).toBe(`r${KEPT_REQUESTS - 1}`)
  })

  it('has the attempt that is being made only while there is one', () => {
    const history = createRequestHistory(false, () => 0)
    vi.spyOn(performance, 'now').mockReturnValueOnce(1000).mockReturnValue(1005)
    const context = contextOf('r')
    const row = history.begin(context)
    const attempts = () => history.list(VIEWER)[0]?.attempts.map(({ vendor, error, endMs }) => [vendor, error, endMs])
    const place = { vendor: 'acme', member: null, model: 'm' }
    expect(attempts()).toEqual([])
    context.journal.add({ type: 'routed', ...place, wire: 'openai-chat' })
    expect(attempts()).toEqual([])
    context.journal.mark('called')
    expect(attempts()).toEqual([['acme', null, null]])
    context.journal.add({ type: 'attempted', ...place, error: 'server_error', isSkipped: false })
    expect(attempts()).toEqual([['acme', 'server_error', 5]])
    context.journal.mark('called')
    expect(attempts()).toHaveLength(2)
    end(history, row)
    expect(attempts()).toHaveLength(1)
  })
})
