import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import { messagesSealedTexts } from '../../../src/wires/anthropic-messages/sealed-texts.ts'
import type { SealedTexts } from '../../../src/wires/client-contract.ts'
import { geminiSealedTexts } from '../../../src/wires/gemini-generate/sealed-texts.ts'
import { chatSealedTexts } from '../../../src/wires/openai-chat/sealed-texts.ts'

/** An account that shares its conversations with others seals each of its own texts: here they are `SEALED`. */
const SEALED = 'own'
const OPEN = { type: 'text', text: 'open' }
const THOUGHT = { type: 'thinking', thinking: 'open', signature: SEALED }
const REDACTED = { type: 'redacted_thinking', data: SEALED }
const PART = { text: 'open', thoughtSignature: SEALED }
const choice = (message: object) => ({ choices: [{ index: 0, ...message }] })

const ANSWERS: readonly (readonly [what: string, texts: SealedTexts, answer: object])[] = [
  ['a whole Messages answer', messagesSealedTexts, { content: [THOUGHT, OPEN, REDACTED] }],
  ['a block of Messages', messagesSealedTexts, { type: 'content_block_start', content_block: THOUGHT }],
  ['a redacted block of Messages', messagesSealedTexts, { type: 'content_block_start', content_block: REDACTED }],
  ['a signature of Messages', messagesSealedTexts, { delta: { type: 'signature_delta', signature: SEALED } }],
  ['a chat answer', chatSealedTexts, choice({ message: { content: 'open', thinking_blocks: [THOUGHT, REDACTED] } })],
  ['a chat chunk', chatSealedTexts, choice({ delta: { reasoning_details: [{ type: 'open', data: SEALED }] } })],
  ['an opaque chat chunk', chatSealedTexts, choice({ delta: { reasoning_opaque: SEALED, content: 'open' } })],
  ['a Gemini answer', geminiSealedTexts, { candidates: [{ content: { role: 'open', parts: [OPEN, PART] } }] }],
]

it.each(ANSWERS)('%s has each text of its issuer sealed, and all others as they are', (_, { inAnswer }, answer) => {
  const texts: string[] = []
  const sealed = inAnswer(answer as JsonObject, (text) => {
    texts.push(text)
    return `sealed ${text}`
  })
  expect(sealed).toEqual(JSON.parse(JSON.stringify(answer).replaceAll(`"${SEALED}"`, `"sealed ${SEALED}"`)))
  expect(new Set(texts)).toEqual(new Set([SEALED]))
})

it.each<readonly [Json, SealedTexts]>([
  [THOUGHT, messagesSealedTexts],
  [REDACTED, messagesSealedTexts],
  [[THOUGHT, OPEN, REDACTED], chatSealedTexts],
])('a payload %j is sealed as it is in an answer', (payload, { inPayload }) => {
  const expected = JSON.parse(JSON.stringify(payload).replaceAll(`"${SEALED}"`, '"sealed"'))
  expect(inPayload(payload, () => 'sealed')).toEqual(expected)
})
