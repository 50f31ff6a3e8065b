import type { Json } from '../../../src/protocol/json.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { encodeFitted } from '../../engine/encode-request.ts'
import { targetOf } from '../../engine/target.ts'
import { requestOf } from '../../request-bodies.ts'

export type Fields = Readonly<Record<string, unknown>>

export function encode(fields: Fields, model = 'some-model') {
  const result = encodeFitted(WIRES['cohere-chat'], requestOf(fields), targetOf('cohere-chat', {}, model))
  if (!result.ok) throw new Error(result.error.message)
  return { path: result.path, body: result.body, losses: result.losses }
}
export const messagesOf = (input: unknown): Json => encode({ input }).body.messages ?? null
export const itsCall = (id: string, given = '{}', name = 'f') => ({
  id,
  type: 'function',
  function: { name, arguments: given },
})
export const tool = (tool_call_id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id, content })
export const image = { type: 'input_image', image_url: 'https://a.example/x.png' }
export const itsImage = { type: 'image_url', image_url: { url: 'https://a.example/x.png' } }
export const file = {
  type: 'input_file',
  filename: 'a.txt',
  file_data: `data:text/plain;base64,${btoa('Gr\u00c3\u00bcezi')}`,
}
export const pdf = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,QUJD' }
export const consistent = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }
export const thinkingPart = (text: string, encrypted_content: string | null = null) => ({
  type: 'reasoning',
  summary: [],
  content: text === '' ? [] : [{ type: 'reasoning_text', text }],
  encrypted_content,
})
