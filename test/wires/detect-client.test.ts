import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { WireName } from '../../src/wires/contract.ts'
import { detectClient } from '../../src/wires/detect-client.ts'
import { CHATS, CONTENTS, MESSAGES, OLLAMAS } from '../arbitraries/client-requests.ts'

const HI = [{ role: 'user', content: 'Hi' }]

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/explain/${name}.request.json`, import.meta.url), 'utf8'))

describe('the protocol of a body', () => {
  it.each([
    ['claude-code', 'anthropic-messages'],
    ['codex', 'openai-responses'],
    ['parallel-calls', 'openai-chat'],
    ['gemini-images', 'gemini-generate'],
    ['structured-output', 'ollama-chat'],
  ])('of %s is %s', (name, wire) => {
    expect(detectClient(recorded(name))).toBe(wire)
  })

  it.each<[WireName, readonly unknown[]]>([
    ['openai-chat', CHATS],
    ['anthropic-messages', MESSAGES],
    ['gemini-generate', CONTENTS],
    ['ollama-chat', OLLAMAS],
  ])('is never another one than %s for its bodies', (wire, bodies) => {
    const found = bodies.map(detectClient)
    expect(found).toContain(wire)
    expect(found.filter((one) => one !== wire && one !== null)).toEqual([])
  })

  it('is not guessed where several have the members', () => {
    expect(detectClient({ model: 'm', messages: HI })).toBe(null)
    expect(detectClient({ model: 'm', messages: HI, max_tokens: 9, stream: true })).toBe(null)
    expect(detectClient({ messages: HI, system: 'Rules', response_format: {} })).toBe(null)
    expect([null, [], 'text', {}].map(detectClient)).toEqual([null, null, null, null])
    expect(detectClient({ messages: [{ role: 'system', content: 'Rules' }, ...HI] })).toBe('openai-chat')
  })
})
