import type { Json } from '../../../src/protocol/json.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { encodeFitted } from '../../engine/encode-request.ts'
import { targetOf } from '../../engine/target.ts'
import { requestOf } from '../../request-bodies.ts'

export type Fields = Readonly<Record<string, unknown>>

export const MODEL = 'claude-sonnet-4-5'
/** A model whose reasoning is configured by an effort. */
export const NEW = 'claude-opus-4-6'
/** A model that, besides, accepts no sampling. */
export const NEWEST = 'claude-opus-4-7'

export function encode(fields: Fields, model = MODEL, quirks: Quirks = {}) {
  const result = encodeFitted(
    WIRES['anthropic-messages'],
    requestOf(fields),
    targetOf('anthropic-messages', quirks, model),
  )
  if (!result.ok) throw new Error(result.error.message)
  return result
}

/** Returns the body without the fields that every body has. */
export const messagesOf = (input: unknown, more: Fields = {}): Json => encode({ input, ...more }).body.messages ?? null
export const textContent = (text: string) => ({ type: 'text', text })
export const use = (id: string, input: object = {}, name = 'f') => ({ type: 'tool_use', id, name, input })
export const result = (tool_use_id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id, content })
export const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
export const imageBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }
