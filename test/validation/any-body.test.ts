import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GatewayError } from '../../src/protocol/error.ts'
import { toErrorBody } from '../../src/protocol/error-body.ts'
import { toEcho } from '../../src/responses/echo.ts'
import { parseBody } from '../../src/validation/body.ts'
import { validateRequest } from '../../src/validation/request.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { BODIES, corruptedBodies, familiar, mutated } from '../arbitraries/bodies.ts'
import { encodeFor } from '../engine/encode-request.ts'
import { targetOf } from '../engine/target.ts'
import { check, runsOf } from '../property.ts'
import { requestOf } from '../request-bodies.ts'

const PLACE = /^(?:body|model|[a-z_]+(?:\.[\w-]+|\[\d+\]|\["?[^\n]*\])*)$/

/**
 * Checks that the refusal fits every client API and that its message begins with the path. It uses `assert`, because
 * `expect` takes much longer, and this runs for 100,000 bodies.
 */
function assertRefusal(error: GatewayError): void {
  assert.ok(error.status >= 400 && error.status < 500, `status ${error.status}`)
  assert.match(error.param ?? '', PLACE)
  assert.ok(error.message.startsWith(`${error.param}: `), error.message)
  const body = toErrorBody(error)
  for (const field of ['code', 'message', 'type', 'param'])
    assert.equal(typeof (body.error as Record<string, unknown>)[field], 'string', field)
}

/** Runs every step that a body passes before the upstream is called. */
function answerTo(text: string): 'accepted' | 'refused' {
  const parsed = parseBody(text)
  const valid = parsed.ok ? validateRequest(parsed.body) : parsed
  if (!valid.ok) {
    assertRefusal(valid.error)
    return 'refused'
  }
  assert.notEqual(valid.request.model, '')
  JSON.stringify(toEcho(valid.request))
  for (const wire of Object.values(WIRES)) {
    const encoded = encodeFor(wire, valid.request, targetOf(wire.name))
    if (!encoded.ok) {
      assert.ok(encoded.error.status < 500, `status ${encoded.error.status}`)
      continue
    }
    JSON.stringify(encoded.body)
    for (const { path, why } of encoded.losses) assert.notEqual(path + why, '')
  }
  return 'accepted'
}

const FIELDS = Object.keys(requestOf())
const body = (value: unknown): string => JSON.stringify(value) ?? ''

/** The runs of `npm run test:all`. RUNS=10 makes a million of them. */
const RUNS = { random: 15_000, familiar: 15_000, items: 20_000, mutated: 35_000, garbled: 15_000 }

/** The time depends on the machine and is not tested here. */
const timeout = 600_000 * Math.max(1, Number(process.env.RUNS ?? 1))

describe('any body gives a request or a refusal with its path', { timeout }, () => {
  it('tests 100,000 bodies, and accepts the valid examples', () => {
    expect(Object.values(RUNS).reduce((sum, runs) => sum + runs)).toBe(100_000)
    for (const right of BODIES) expect(answerTo(body(right))).toBe('accepted')
  })

  it('holds for any JSON value', () => {
    check(
      fc.property(fc.jsonValue(), (value) => void answerTo(body(value))),
      RUNS.random,
    )
  })

  it('holds for known fields with values that the schemas contain', () => {
    const fields = fc.dictionary(fc.constantFrom(...FIELDS, 'store', 'prompt'), familiar, { maxKeys: 5 })
    check(
      fc.property(fields, (some) => void answerTo(body({ model: 'm', input: 'a', ...some }))),
      RUNS.familiar,
    )
  })

  it('holds for items, parts and tools with values that the schemas contain', () => {
    const places = [
      (value: unknown) => ({ model: 'm', input: [value] }),
      (value: unknown) => ({ model: 'm', input: [{ role: 'user', content: [value] }] }),
      (value: unknown) => ({ model: 'm', input: 'a', tools: [value], tool_choice: value }),
    ]
    check(
      fc.property(fc.constantFrom(...places), familiar, (put, value) => void answerTo(body(put(value)))),
      RUNS.items,
    )
  })

  it('holds for valid requests with a few changed values, many of them still valid', () => {
    const counts = { accepted: 0, refused: 0 }
    check(
      fc.property(mutated, (value) => {
        counts[answerTo(body(value))] += 1
      }),
      RUNS.mutated,
    )
    expect(counts.accepted).toBeGreaterThan(runsOf(RUNS.mutated) / 20)
    expect(counts.refused).toBeGreaterThan(runsOf(RUNS.mutated) / 20)
  })

  it('holds for valid requests with a few changed characters', () => {
    check(
      fc.property(corruptedBodies, (text) => void answerTo(text)),
      RUNS.garbled,
    )
  })
})
