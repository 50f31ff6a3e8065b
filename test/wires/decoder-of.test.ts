import { expect, it } from 'vitest'
import type { KnownStreamWire } from '../../src/wires/contract.ts'
import { decoderOf } from '../../src/wires/decoder-of.ts'
import { WIRES } from '../../src/wires/registry.ts'

it('the streams of a wire with the same quirks share a decoder, which is made once', () => {
  let made = 0
  const chat = WIRES['openai-chat']
  const wire: KnownStreamWire = {
    ...chat,
    decodeStream(quirks) {
      made += 1
      return chat.decodeStream(quirks)
    },
  }
  const quirks = {}
  expect(decoderOf(wire, quirks)).toBe(decoderOf(wire, quirks))
  expect(decoderOf(wire)).toBe(decoderOf(wire))
  expect(made).toBe(2)
  expect(decoderOf(wire, {})).not.toBe(decoderOf(wire, quirks))
  expect(decoderOf(chat, quirks)).not.toBe(decoderOf(wire, quirks))
})
