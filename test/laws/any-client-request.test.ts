import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GatewayError } from '../../src/protocol/error.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { isObject } from '../../src/text/json.ts'
import { valueAt } from '../../src/text/json-path.ts'
import { runSteps } from '../../src/text/steps.ts'
import { givenPath } from '../../src/validation/input/given-path.ts'
import { validateRequest } from '../../src/validation/request.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { CHATS, CONTENTS, INTERACTIONS, MESSAGES, OLLAMAS } from '../arbitraries/client-requests.ts'
import { corruptedValues, pathsOf, replaced } from '../arbitraries/corrupt-values.ts'
import { jsonOf } from '../arbitraries/json.ts'
import { hostile } from '../arbitraries/strings.ts'
import { CLIENT_WIRES } from '../cross-translate.ts'
import { check, runsOf } from '../property.ts'
import { decodeContext, HOME } from '../wires/deltas.ts'

/** Law 11 for requests: any JSON is a valid request, or an error of the client with a place in its own request. */

/** Members that are losses, or that only some vendors have. */
const OF_VENDORS: JsonObject = {
  model: 'acme/m',
  reasoning_effort: 'high',
  verbosity: 'low',
  reasoning: { max_tokens: 5000 },
  plugins: [{ id: 'web', max_results: 3 }],
  web_search_options: { user_location: { type: 'approximate', approximate: { city: 'Bern' } } },
  tools: [
    {
      type: 'custom',
      custom: { name: 'g', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
    },
  ],
  messages: [
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'hm',
      reasoning_details: [
        { type: 'reasoning.summary', index: 0, id: 'rs_1', summary: 'so', signature: 's' },
        { type: 'reasoning.encrypted', index: 1, id: 'rs_2', data: 'mr1.x' },
      ],
    },
  ],
}

const BODIES: Partial<Record<WireName, readonly JsonObject[]>> = {
  'openai-chat': [...CHATS, OF_VENDORS],
  'anthropic-messages': MESSAGES,
  'gemini-generate': CONTENTS,
  'gemini-interactions': INTERACTIONS,
  'ollama-chat': OLLAMAS,
}

const innerOf = (value: Json): readonly Json[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []
const keysOf = (value: Json): readonly string[] => [
  ...(isObject(value) ? Object.keys(value) : []),
  ...innerOf(value).flatMap(keysOf),
]
const wordsOf = (value: Json): readonly string[] =>
  typeof value === 'string' ? [value] : innerOf(value).flatMap(wordsOf)

/** Values of the same form: elements of a list in any number and order, and now and then another text. */
function alike(value: Json): fc.Arbitrary<unknown> {
  if (isObject(value)) return fc.record(membersOf(value), { noNullPrototype: true })
  if (typeof value === 'string')
    return fc.oneof({ weight: 300, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: hostile })
  if (!Array.isArray(value) || value.length === 0) return fc.constant(value)
  return fc.array(fc.oneof(...value.map(alike)), { minLength: 1, maxLength: 4 })
}

const membersOf = (body: JsonObject): Record<string, fc.Arbitrary<unknown>> =>
  Object.fromEntries(Object.entries(body).map(([name, inner]) => [name, alike(inner)]))

const DEEP = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)

describe.each(CLIENT_WIRES)('any request of a client of $name', ({ name, client }) => {
  const bodies = BODIES[name] ?? expect.unreachable(name)
  const requiredKeys = Object.keys(bodies[0] ?? {}).filter((key) => bodies.every((body) => Object.hasOwn(body, key)))
  const decode = (body: JsonObject, home: boolean) =>
    runSteps(client.decodeRequest(body, { ...decodeContext(home ? HOME : null), model: 'acme/m', stream: true }))

  function expectPlace({ party, status, param: named, message }: GatewayError, body: JsonObject): void {
    expect({ party, status }).toEqual({ party: 'client', status: 400 })
    expect(message).toContain(`${named}: `)
    const param = named === null ? null : givenPath(body, named)
    const outer = /^(.*)(?:\.|\[)[^.[]*$/.exec(param ?? '')?.[1] ?? ''
    if (outer !== '') expect(valueAt(body, outer)).toBeDefined()
    else expect([...bodies.flatMap(Object.keys), ...Object.keys(body)]).toContain(param)
  }

  it('is decoded without throwing, to a valid request or to an error with its place', () => {
    const anyJson = jsonOf([...new Set(bodies.flatMap(keysOf))], [...new Set(bodies.flatMap(wordsOf)), 'mr1.x'])
    const usual = bodies.map((body) => fc.record(membersOf(body), { requiredKeys, noNullPrototype: true }))
    let taken = 0
    check(
      fc.property(
        fc.oneof(corruptedValues(fc.oneof(...usual), anyJson), anyJson.filter(isObject)),
        fc.boolean(),
        (given, home) => {
          const body = JSON.parse(JSON.stringify(given)) as JsonObject
          const decoded = decode(body, home)
          const read = decoded.ok ? validateRequest(decoded.body) : decoded
          if (decoded.ok) taken += 1
          // A program may name those alone.
          if (decoded.ok) expect(client.settings ?? []).toEqual(expect.arrayContaining(Object.keys(decoded.settings)))
          if (read.ok) return
          expectPlace(read.error, body)
          // Its members that the Responses API has as well are examined by the validation.
          if (decoded.ok) expect(name).toBe('openai-chat')
        },
      ),
      4000,
    )
    expect(taken).toBeGreaterThan(runsOf(4000) / 20)
  })

  it('is decoded without throwing if a value is nested 20,000 levels deep', () => {
    for (const body of bodies)
      for (const path of pathsOf(body))
        for (const home of [true, false])
          expect(() => decode(replaced(body, path, DEEP) as JsonObject, home), path.join('.')).not.toThrow()
  })
})
