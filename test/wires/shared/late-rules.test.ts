import { describe, expect, it } from 'vitest'
import { translateRequest } from '../../../src/index.ts'
import { formatLoss } from '../../../src/protocol/loss.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'

/** System messages inside a conversation, for vendors that accept them at its beginning only. */

const message = (role: string, content: string) => ({ role, content })

const MESSAGES = [
  message('system', 'A'),
  message('system', 'B'),
  message('user', 'C'),
  message('system', 'D'),
  message('assistant', 'E'),
  message('user', 'F'),
]

const sent = (to: WireName, quirks: Quirks, messages = MESSAGES) => {
  const result = translateRequest({ model: 'some-model', messages }, { from: 'openai-chat', to, quirks })
  if (!result.ok) throw new Error(result.error.message)
  return { messages: result.body.messages, losses: result.losses.map(formatLoss) }
}

const WIRES = ['openai-chat', 'ollama-chat'] as const

describe.each(WIRES)('system messages inside a conversation at %s', (to) => {
  it('stay in their place', () => {
    expect(sent(to, {})).toEqual({ messages: MESSAGES, losses: [] })
  })

  it('become one message at the beginning', () => {
    const { messages, losses } = sent(to, { lateSystem: 'first' })
    expect(messages).toMatchObject([
      { role: 'system' },
      message('user', 'C'),
      message('assistant', 'E'),
      message('user', 'F'),
    ])
    expect(messages).toMatchObject([{ content: expect.stringMatching(/^A\n+B\n+D$/) }, {}, {}, {}])
    expect(losses).toEqual(['messages[3] mapped: moved before all other messages'])
  })

  it('become messages of the user', () => {
    const { messages, losses } = sent(to, { lateSystem: 'user' })
    expect(messages).toMatchObject([
      { role: 'system', content: expect.stringMatching(/^A\n+B$/) },
      message('user', 'C'),
      message('user', 'D'),
      message('assistant', 'E'),
      message('user', 'F'),
    ])
    expect(losses).toEqual(['messages[3] mapped: sent as a message of the user'])
  })

  it('are no loss at the beginning', () => {
    const { messages, losses } = sent(to, { lateSystem: 'user' }, [message('system', 'A'), message('user', 'B')])
    expect(messages).toEqual([message('system', 'A'), message('user', 'B')])
    expect(losses).toEqual([])
  })
})

describe('system messages of an Ollama client', () => {
  it('move to the beginning at a vendor of its own protocol that requires it', () => {
    const body = { model: 'qwen3', messages: MESSAGES }
    const result = translateRequest(body, { from: 'ollama-chat', to: 'ollama-chat', quirks: { lateSystem: 'first' } })
    expect(result).toMatchObject({ ok: true, body: { messages: [{ role: 'system' }, {}, {}, {}] } })
  })
})
