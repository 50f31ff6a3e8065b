import type { Json } from '../../../src/protocol/json.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { encodeFitted } from '../../engine/encode-request.ts'
import { targetOf } from '../../engine/target.ts'
import { requestOf } from '../../request-bodies.ts'

export type Fields = Readonly<Record<string, unknown>>

export function encode(fields: Fields, quirks: Quirks = {}, model = 'some-model') {
  const result = encodeFitted(WIRES['openai-chat'], requestOf(fields), targetOf('openai-chat', quirks, model))
  if (!result.ok) throw new Error(result.error.message)
  return { body: result.body, losses: result.losses }
}

export const messagesOf = (input: unknown, quirks: Quirks = {}): Json => encode({ input }, quirks).body.messages ?? null

export const reasoningChunk = (text: string, encrypted_content: string | null = null) => ({
  type: 'reasoning',
  summary: [],
  content: [{ type: 'reasoning_text', text }],
  encrypted_content,
})
export const chatCall = (id: string, args = '{}', name = 'f') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
export const tool = (tool_call_id: string, content = 'ok') => ({ role: 'tool', tool_call_id, content })
export const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
export const chatImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
