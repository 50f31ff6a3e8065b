import { expect, it } from 'vitest'
import { createTranslator } from '../../src/index.ts'
import { WIRES } from '../../src/wires/registry.ts'

/** Reasoning of another upstream, and items that have no text. */
const INPUTS = [
  [],
  [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'of-nobody' }],
  [{ type: 'reasoning', id: 'rs_1', summary: [] }],
] as const
const CALLING = Object.keys(WIRES).filter((wire) => wire !== 'openai-responses') as (keyof typeof WIRES)[]

it.each(CALLING)('a conversation of which nothing is left is refused before it is sent: %s', (wire) => {
  const translator = createTranslator({ upstream: { wire, baseUrl: 'https://up.example/v1', model: 'm' } })
  for (const input of INPUTS)
    expect([input, translator.encodeRequest({ model: 'm', input })]).toMatchObject([
      input,
      { ok: false, error: { code: 'invalid_prompt', param: 'input', status: 400 } },
    ])
})
