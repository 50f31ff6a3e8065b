import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/protocol/json.ts'
import { parsePieces } from '../../src/text/json-pieces.ts'
import type { Steps } from '../../src/text/steps.ts'
import type { KnownWire, UpstreamContext, WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { CLIENT_WIRES } from '../cross-translate.ts'
import { encodeInSteps } from '../engine/encode-request.ts'
import { requestOf } from '../request-bodies.ts'
import { decodeContext } from '../wires/deltas.ts'

/** Decoding and encoding pause between messages, so that a request of many messages does not block other requests. */

const MESSAGES = 200

const each = <T>(make: (at: number) => T): readonly T[] => Array.from({ length: MESSAGES }, (_, at) => make(at))

/** Returns the result and the number of pauses. */
function counted<Result>(steps: Steps<Result>): { readonly result: Result; readonly pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = steps.next()
    if (done === true) return { result: value, pauses }
  }
}

const chat = (at: number): JsonObject => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `step ${at}` })

const BODIES: Partial<Record<WireName, JsonObject>> = {
  'gemini-generate': {
    contents: each((at) => ({ role: at % 2 === 0 ? 'user' : 'model', parts: [{ text: `step ${at}` }] })),
  },
  'gemini-interactions': {
    model: 'm',
    input: each((at) => ({
      type: at % 2 === 0 ? 'user_input' : 'model_output',
      content: [{ type: 'text', text: `step ${at}` }],
    })),
  },
}

describe.each(CLIENT_WIRES)('a request from a client of $name', ({ name, client }) => {
  it('decodes in steps of one message', () => {
    const body = BODIES[name] ?? { model: 'm', max_tokens: 9, messages: each(chat) }
    const asking = { ...decodeContext(), model: name === 'gemini-generate' ? 'm' : null }
    const { result, pauses } = counted(client.decodeRequest(body, asking))
    expect(result.ok).toBe(true)
    expect(pauses).toBeGreaterThanOrEqual(MESSAGES)
  })
})

describe.each(Object.values<KnownWire>(WIRES))('a request to an upstream of $name', (wire) => {
  const target: UpstreamContext = { model: 'm', quirks: {}, open: () => undefined }
  const request = requestOf({
    input: each((at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `step ${at}` })),
    tools: [{ type: 'custom', name: 'patch' }],
  })

  it('encodes in steps of one message', () => {
    for (const steps of [wire.encodeRequest(request, target), encodeInSteps(wire, request, target)]) {
      const { result, pauses } = counted(steps)
      expect(result.ok).toBe(true)
      expect(pauses).toBeGreaterThanOrEqual(MESSAGES)
    }
  })
})

it('the JSON parser pauses several times for a text of several megabytes', () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ text: 'a'.repeat(3_000_000) }))
  const { result, pauses } = counted(parsePieces([bytes], []))
  expect(result).toMatchObject({ ok: true, value: { text: expect.stringMatching(/^a{3000000}$/) } })
  // The steps: decode two whole parts of one MiB, join the text, and parse it.
  expect(pauses).toBe(4)
})
