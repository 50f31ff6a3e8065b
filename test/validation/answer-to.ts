import assert from 'node:assert/strict'
import type { GatewayError } from '../../src/protocol/error.ts'
import { toErrorBody } from '../../src/protocol/error-body.ts'
import { toEcho } from '../../src/responses/echo.ts'
import { parseBody } from '../../src/validation/body.ts'
import { validateRequest } from '../../src/validation/request.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { encodeFor } from '../engine/encode-request.ts'
import { targetOf } from '../engine/target.ts'

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

type Answer = 'accepted' | 'refused'

/** A quarter of the random bodies are equal to earlier ones. The steps keep no state: an equal body gets the same answer. */
const known = new Map<string, Answer>()

/** Runs every step that a body passes before the upstream is called. */
export function answerTo(text: string): Answer {
  const answer = known.get(text) ?? answerOnce(text)
  known.set(text, answer)
  return answer
}

function answerOnce(text: string): Answer {
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

/** The runs of `npm run test:all`. RUNS=10 makes a million of them. */
export const RUNS = { random: 15_000, familiar: 15_000, items: 20_000, mutated: 35_000, garbled: 15_000 }

/** The time depends on the machine and is not tested here. */
export const timeout = 600_000 * Math.max(1, Number(process.env.RUNS ?? 1))
