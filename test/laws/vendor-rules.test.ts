import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readClientRequest } from '../../src/engine/client-request.ts'
import { ruleFacts } from '../../src/engine/passes/rules.ts'
import { mendRequest } from '../../src/engine/rules/mend-request.ts'
import type { Facts } from '../../src/engine/rules/rule.ts'
import { RULE_NAMES, rulesFor } from '../../src/engine/rules/rules.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { runSteps } from '../../src/text/steps.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { quirksOn } from '../../src/vendors/vendor.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { awkwardBody, CLIENTS } from '../arbitraries/awkward-requests.ts'
import { brokenRules } from '../engine/broken-rules.ts'
import { encodeFrom, protocolOf, routeTo } from '../engine/encode-from.ts'
import { WITNESSES } from '../engine/rule-witnesses.ts'
import { checkCase, IS_WHOLE } from '../property.ts'

/** Law 13: no body that leaves the gateway breaks a rule that it knows, for any client, translated or passed. */

/** Names of models with many facts, of every family. */
const MODELS = [
  'claude-opus-5-5',
  'claude-opus-4-8',
  'claude-sonnet-4-5',
  'claude-haiku-4-5',
  'gpt-6-sol',
  'gpt-5.2-codex',
  'gpt-4.1',
  'o3',
  'gemini-3.8-flash',
  'gemini-2.5-pro',
  'grok-4.6',
  'deepseek-v4-pro',
  'kimi-k3',
  'glm-5.3',
  'qwen3.8-max',
  'mistral-large-4',
  'gpt-oss-120b',
  'a-model-of-tomorrow',
] as const

interface Row {
  readonly vendor: string
  readonly wire: WireName
}

const ROWS: readonly Row[] = VENDOR_NAMES.flatMap((vendor) => {
  const row = findVendor(vendor)
  if (row === undefined) return []
  return [row.wire, ...(Object.keys(row.wires ?? {}) as WireName[])].map((wire) => ({ vendor, wire }))
})

const routeOf = ({ vendor, wire }: Row, model: string, more: Quirks = {}) => {
  const row = findVendor(vendor) ?? expect.unreachable(vendor)
  return routeTo(vendor, model, { wire: WIRES[wire], quirks: { ...quirksOn(row, wire), ...more } })
}

describe('each rule', () => {
  it('has a request that needs it', () => {
    expect(Object.keys(WITNESSES).sort()).toEqual([...RULE_NAMES].sort())
  })

  it.each(Object.entries(WITNESSES))(
    'mends the request that needs it: %s',
    (name, { client, vendor, wire, quirks, ...asked }) => {
      const row = findVendor(vendor) ?? expect.unreachable(vendor)
      const route = routeOf({ vendor, wire: wire ?? row.wire }, asked.model, quirks)
      const protocol = protocolOf(client, route)
      const call = encodeFrom(asked.body, protocol, route)
      if (!call.ok) return expect.unreachable(call.error.message)
      expect(JSON.stringify(call.value.body)).not.toMatch(asked.refused)
      const read = runSteps(readClientRequest(asked.body, protocol))
      if (!read.ok) return expect.unreachable(read.error.message)
      const facts = ruleFacts(route, client)
      const rules = rulesFor(facts)
      const mendWith = (some: typeof rules) => {
        const { request, losses } = runSteps(mendRequest(read.value.request, facts, some))
        return { request, losses }
      }
      expect(mendWith(rules)).not.toEqual(mendWith(rules.filter((rule) => rule.name !== name)))
    },
  )
})

describe.each(ROWS)('a request to $vendor over $wire', (row) => {
  it('breaks no rule that is known, from any client', () => {
    const seen = { sent: 0, passed: 0, mended: 0 }
    const asked = fc.tuple(fc.constantFrom(...CLIENTS), fc.constantFrom(...MODELS))
    checkCase(
      fc.property(
        asked.chain(([client, model]) => fc.tuple(fc.constant(client), fc.constant(model), awkwardBody(client))),
        ([client, model, body]) => {
          const route = routeOf(row, model)
          const facts: Facts = ruleFacts(route, client)
          const call = encodeFrom(body, protocolOf(client, route), route)
          if (!call.ok) {
            expect(call.error).toMatchObject({ party: 'client' })
            return
          }
          seen.sent += 1
          if (call.value.edits !== null) seen.passed += 1
          if (call.value.losses.length > 0) seen.mended += 1
          const sent = JSON.parse(JSON.stringify(call.value.body)) as JsonObject
          expect(
            brokenRules(sent, facts),
            `${client} ${model} ${JSON.stringify(body)} → ${JSON.stringify(sent)}`,
          ).toEqual([])
        },
      ),
      200,
    )
    if (IS_WHOLE) expect(seen.sent).toBeGreaterThan(20)
  })
})

describe.each(ROWS.filter(({ wire }) => (CLIENTS as readonly WireName[]).includes(wire)))(
  'a body that was sent to $vendor over $wire',
  (row) => {
    it('needs no change when a client of that protocol sends it', () => {
      checkCase(
        fc.property(fc.constantFrom(...MODELS), awkwardBody(row.wire), (model, body) => {
          const route = routeOf(row, model)
          const protocol = protocolOf(row.wire, route)
          const first = encodeFrom(body, protocol, route)
          if (!first.ok) return
          const sent = JSON.parse(JSON.stringify(first.value.body)) as JsonObject
          const own = row.wire === 'gemini-generate' ? sent : { ...sent, model: 'vendor/model' }
          const second = encodeFrom(own, protocol, route)
          if (!second.ok) return expect.unreachable(`${second.error.message}: ${JSON.stringify(sent)}`)
          expect(second.value.body, `${model} ${JSON.stringify(body)}`).toEqual(sent)
        }),
        200,
      )
    })
  },
)
