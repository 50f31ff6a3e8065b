import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIVE_PROTOCOLS, type LiveProtocol } from '../../../src/page/views/live/answer/protocols.ts'
import type { JsonBody } from '../../../src/page/views/live/request/form-fields.ts'
import { bodyOfForm, type RequestForm, readForm, writeForm } from '../../../src/page/views/live/request/request-form.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { runSteps } from '../../../src/text/steps.ts'
import { validateRequest } from '../../../src/validation/request.ts'
import type { KnownWire } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { CHATS, CONTENTS, INTERACTIONS, MESSAGES, OLLAMAS } from '../../arbitraries/client-requests.ts'
import { check } from '../../property.ts'

const FORM: RequestForm = { model: 'acme/m', prompt: 'Why?', system: 'Be short.', tools: true, effort: 'high' }

const forms: fc.Arbitrary<RequestForm> = fc.record({
  model: fc.constantFrom('acme/m', 'acme/other'),
  prompt: fc.string({ minLength: 1 }),
  system: fc.string(),
  tools: fc.boolean(),
  effort: fc.constantFrom('', 'low', 'medium', 'high'),
})

/** The Responses request that the body of a client becomes. */
function requestOf(protocol: LiveProtocol, body: JsonBody) {
  const client =
    protocol === 'responses-openai' || protocol === 'responses-beta' ? undefined : (WIRES[protocol] as KnownWire).client
  const address = { model: FORM.model, stream: true, seal: null }
  const decoded =
    client === undefined ? { ok: true as const, body } : runSteps(client.decodeRequest(body as JsonObject, address))
  if (!decoded.ok) throw new Error(JSON.stringify(decoded))
  const validated = validateRequest({ ...decoded.body })
  if (!validated.ok) throw new Error(JSON.stringify(validated))
  return { ...validated, losses: 'losses' in decoded ? decoded.losses : [] }
}

const BODIES: Readonly<Record<LiveProtocol, readonly JsonBody[]>> = {
  'responses-openai': [{ input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }], user: 'u' }],
  'responses-beta': [{ model: 'a', input: 'Hi', reasoning: { effort: 'xhigh' }, metadata: { a: 'b' } }],
  'openai-chat': CHATS,
  'anthropic-messages': MESSAGES,
  'gemini-generate': CONTENTS,
  'gemini-interactions': INTERACTIONS,
  'ollama-chat': OLLAMAS,
}

describe.each(LIVE_PROTOCOLS)('the form of %s', (protocol) => {
  it('is the same after it was written into a body and read again', () => {
    check(
      fc.property(forms, forms, (one, other) => {
        const body = bodyOfForm(protocol, one)
        expect(readForm(protocol, body, one.model)).toEqual(one)
        expect(readForm(protocol, writeForm(protocol, body, other), other.model)).toEqual(other)
      }),
      200,
    )
  })

  it('changes nothing in a body that it agrees with, and only its own members in any other', () => {
    for (const body of BODIES[protocol]) {
      const form = readForm(protocol, body, 'acme/m')
      expect(writeForm(protocol, body, form)).toEqual(
        protocol === 'gemini-generate' ? body : { ...body, model: form.model },
      )
      const changed = writeForm(protocol, body, { ...form, prompt: 'Another prompt' })
      expect(readForm(protocol, changed, form.model)).toEqual({ ...form, prompt: 'Another prompt' })
      for (const [name, value] of Object.entries(body))
        if (!['input', 'messages', 'contents', 'model'].includes(name)) expect(changed[name]).toEqual(value)
    }
  })

  it('makes a request that the server reads without a loss', () => {
    const { losses, ...read } = requestOf(protocol, bodyOfForm(protocol, FORM))
    expect(losses).toEqual([])
    const text = JSON.stringify(read)
    for (const part of ['Why?', 'Be short.', 'get_weather', '"effort":"high"']) expect(text).toContain(part)
  })
})
