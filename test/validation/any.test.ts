import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GatewayError } from '../../src/protocol/error.ts'
import { toErrorBody } from '../../src/protocol/error-body.ts'
import { toEcho } from '../../src/responses/echo.ts'
import { parseBody } from '../../src/validation/body.ts'
import { validateRequest } from '../../src/validation/request.ts'
import { withCustomTools } from '../../src/wires/custom-tools.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { BODIES, familiar, garbled, mutated } from '../arbitraries/bodies.ts'
import { check, runsOf } from '../property.ts'
import { requestOf } from '../requests.ts'
import { targetOf } from '../target.ts'

const PLACE = /^(?:body|model|[a-z_]+(?:\.[\w-]+|\[\d+\]|\["?[^\n]*\])*)$/

/** A refusal that both families of clients can read, and whose message begins with the place. */
function expectRefusal(error: GatewayError): void {
  expect(error.status).toBeGreaterThanOrEqual(400)
  expect(error.status).toBeLessThan(500)
  expect(error.param).toMatch(PLACE)
  expect(error.message.startsWith(`${error.param}: `)).toBe(true)
  const body = toErrorBody(error)
  for (const field of ['code', 'message', 'type', 'param']) {
    expect(typeof (body.error as Record<string, unknown>)[field]).toBe('string')
  }
}

/** Everything that is done with a body before its upstream is asked. */
function expectAnswer(text: string): 'accepted' | 'refused' {
  const parsed = parseBody(text)
  const valid = parsed.ok ? validateRequest(parsed.body) : parsed
  if (!valid.ok) {
    expectRefusal(valid.error)
    return 'refused'
  }
  expect(valid.request.model.length).toBeGreaterThan(0)
  JSON.stringify(toEcho(valid.request))
  for (const wire of Object.values(WIRES)) {
    const encoded = withCustomTools(wire, valid.request, {}).encodeRequest(valid.request, targetOf(wire.name))
    if (!encoded.ok) {
      expect(encoded.error.status).toBeLessThan(500)
      continue
    }
    JSON.stringify(encoded.body)
    for (const { path, why } of encoded.losses) expect(`${path}${why}`).not.toBe('')
  }
  return 'accepted'
}

const FIELDS = Object.keys(requestOf())
const body = (value: unknown): string => JSON.stringify(value) ?? ''

/** Of `npm run test:all`; RUNS=10 makes a million of them. */
const RUNS = { random: 15_000, familiar: 15_000, items: 20_000, mutated: 35_000, garbled: 15_000 }

/** How long it takes says something of the machine, and nothing of what is shown. */
const timeout = 600_000 * Math.max(1, Number(process.env.RUNS ?? 1))

describe('any body at all is a request, or a refusal with its place', { timeout }, () => {
  it('100,000 of them', () => {
    expect(Object.values(RUNS).reduce((sum, runs) => sum + runs)).toBe(100_000)
    for (const right of BODIES) expect(expectAnswer(body(right))).toBe('accepted')
  })

  it('any JSON', () => {
    check(
      fc.property(fc.jsonValue(), (value) => void expectAnswer(body(value))),
      RUNS.random,
    )
  })

  it('known fields with values made of known words', () => {
    const fields = fc.dictionary(fc.constantFrom(...FIELDS, 'store', 'prompt'), familiar, { maxKeys: 5 })
    check(
      fc.property(fields, (some) => void expectAnswer(body({ model: 'm', input: 'a', ...some }))),
      RUNS.familiar,
    )
  })

  it('items, parts and tools made of known words', () => {
    const places = [
      (value: unknown) => ({ model: 'm', input: [value] }),
      (value: unknown) => ({ model: 'm', input: [{ role: 'user', content: [value] }] }),
      (value: unknown) => ({ model: 'm', input: 'a', tools: [value], tool_choice: value }),
    ]
    check(
      fc.property(fc.constantFrom(...places), familiar, (put, value) => void expectAnswer(body(put(value)))),
      RUNS.items,
    )
  })

  it('right requests with a few places changed, of which many are still right', () => {
    const counts = { accepted: 0, refused: 0 }
    check(
      fc.property(mutated, (value) => {
        counts[expectAnswer(body(value))] += 1
      }),
      RUNS.mutated,
    )
    expect(counts.accepted).toBeGreaterThan(runsOf(RUNS.mutated) / 20)
    expect(counts.refused).toBeGreaterThan(runsOf(RUNS.mutated) / 20)
  })

  it('right requests with a few letters changed', () => {
    check(
      fc.property(garbled, (text) => void expectAnswer(text)),
      RUNS.garbled,
    )
  })
})
