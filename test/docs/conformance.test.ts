import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { exchangeFile, PAGE, pageOf, readConformance } from '../../bench/conformance/page.ts'

/** docs/conformance.md is that of its results, and every defect has an exchange. */

const results = Object.entries(readConformance())

describe('the page of conformance', () => {
  it('is written from the results', () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(pageOf(readConformance()))
  })

  it('has at least four gateways, this one included', () => {
    expect(results.map(([name]) => name)).toContain('millrace')
    expect(results.length).toBeGreaterThanOrEqual(4)
  })

  it.each(results)('has an exchange with request, answer and right answer for each defect of %s', (name, { pairs }) => {
    for (const pair of pairs)
      for (const { status, exchange } of pair.rows) {
        expect(exchange !== null).toBe(status === 'failed' || status === 'warned')
        if (exchange === null) continue
        const file = exchangeFile(name, pair, exchange)
        expect([file.pathname, existsSync(file)]).toEqual([file.pathname, true])
        const text = readFileSync(file, 'utf8')
        // A stack trace of a peer would show where this project was.
        expect([file.pathname, /[\s(]\/(?:home|root|work|tmp|Users)\//.test(text)]).toEqual([file.pathname, false])
        const { request, came, right } = JSON.parse(text)
        expect([file.pathname, request.method, came.status > 0, right.status > 0]).toEqual([
          file.pathname,
          expect.stringMatching(/^(?:GET|POST)$/),
          true,
          true,
        ])
      }
  })
})
