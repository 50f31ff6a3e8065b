import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ruleFacts } from '../../src/engine/passes/rules.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { quirksOn } from '../../src/vendors/vendor.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import {
  brokenConversation,
  brokenOrder,
  CONVERSATION_CLIENTS,
  type ConversationClient,
} from '../arbitraries/broken-conversations.ts'
import { brokenOrders } from '../engine/broken-orders.ts'
import { encodeFrom, protocolOf, routeTo } from '../engine/encode-from.ts'
import { checkCase, IS_WHOLE } from '../property.ts'

/** Law 13 for conversations: calls, results and contents that a vendor refuses reach none, passed or translated. */

const MODELS = ['claude-opus-4-8', 'claude-haiku-4-5', 'gpt-5.2', 'gemini-3.8-flash', 'a-model-of-tomorrow'] as const

const ROWS = VENDOR_NAMES.flatMap((vendor) => {
  const row = findVendor(vendor)
  if (row === undefined) return []
  return [row.wire, ...(Object.keys(row.wires ?? {}) as WireName[])].map((wire) => ({ vendor, wire }))
})

const routeOf = (vendor: string, wire: WireName, model: string) => {
  const row = findVendor(vendor) ?? expect.unreachable(vendor)
  return routeTo(vendor, model, { wire: WIRES[wire], quirks: quirksOn(row, wire) })
}

const asJson = (body: unknown): JsonObject => JSON.parse(JSON.stringify(body)) as JsonObject

describe.each(ROWS)('a broken conversation to $vendor over $wire', ({ vendor, wire }) => {
  it('is mended for the vendor, from any client', () => {
    const seen = { sent: 0 }
    checkCase(
      fc.property(
        fc
          .tuple(fc.constantFrom(...CONVERSATION_CLIENTS), fc.constantFrom(...MODELS))
          .chain(([client, model]) =>
            fc.tuple(fc.constant<ConversationClient>(client), fc.constant(model), brokenConversation(client)),
          ),
        ([client, model, body]) => {
          const route = routeOf(vendor, wire, model)
          const call = encodeFrom(body, protocolOf(client, route), route)
          if (!call.ok) {
            expect(call.error).toMatchObject({ party: 'client' })
            return
          }
          seen.sent += 1
          const sent = asJson(call.value.body)
          const broken = brokenOrders(sent, ruleFacts(route, client))
          expect(broken, `${client} ${model} ${JSON.stringify(body)} → ${JSON.stringify(sent)}`).toEqual([])
        },
      ),
      200,
    )
    const takesTools = routeOf(vendor, wire, MODELS[0]).quirks.refuses?.includes('tools') !== true
    if (IS_WHOLE && takesTools) expect(seen.sent).toBeGreaterThan(20)
  })
})

const HISTORIES = {
  'openai-chat': ['openai-chat', 'gpt-4.1', 'messages'],
  'openai-responses': ['openai', 'gpt-4.1', 'input'],
  'anthropic-messages': ['anthropic', 'claude-haiku-4-5', 'messages'],
  'gemini-generate': ['google', 'gemini-3.8-flash', 'contents'],
  'gemini-interactions': ['google-interactions', 'gemini-3.8-flash', 'input'],
  'ollama-chat': ['ollama', 'qwen3', 'messages'],
} as const satisfies Record<ConversationClient, readonly [vendor: string, model: string, member: string]>

describe.each(CONVERSATION_CLIENTS)('a sound conversation of a client of %s', (client) => {
  it('reaches its own vendor byte for byte', () => {
    const seen = { sound: 0, broken: 0 }
    const [vendor, model, member] = HISTORIES[client]
    const route = routeOf(vendor, client, model)
    const facts = ruleFacts(route, client)
    checkCase(
      fc.property(brokenOrder(client), (body) => {
        if (brokenOrders(body, facts).length > 0) {
          seen.broken += 1
          return
        }
        seen.sound += 1
        const text = JSON.stringify(body)
        const call = encodeFrom(body, protocolOf(client, route), route)
        if (!call.ok) return expect.unreachable(`${call.error.message}: ${text}`)
        expect(call.value.edits, text).not.toBeNull()
        expect(JSON.stringify(call.value.body[member])).toBe(JSON.stringify(body[member]))
      }),
      200,
    )
    if (IS_WHOLE) expect([seen.sound > 20, seen.broken > 20], JSON.stringify(seen)).toEqual([true, true])
  })
})
