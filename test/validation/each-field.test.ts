import { expect, it } from 'vitest'
import { bodyOf } from '../../src/validation/body-schema.ts'
import { validateRequest } from '../../src/validation/request.ts'

/** Each field has a different value, so that none can be mistaken for another. */
const BODY = {
  model: 'm/1',
  input: 'Hello',
  stream: true,
  instructions: 'Be brief.',
  max_output_tokens: 1_000,
  max_tool_calls: 7,
  temperature: 0.1,
  top_p: 0.2,
  presence_penalty: 0.3,
  frequency_penalty: 0.4,
  top_logprobs: 5,
  reasoning: { effort: 'low', summary: 'auto' },
  parallel_tool_calls: false,
  text: { verbosity: 'low' },
  truncation: 'auto',
  service_tier: 'flex',
  metadata: { a: 'b' },
  user: 'a user',
  safety_identifier: 'an identifier',
  prompt_cache_key: 'a key',
  prompt_cache_options: { mode: 'explicit', ttl: '12h' },
  prompt_cache_retention: '24h',
  include: ['reasoning.encrypted_content'],
  plugins: [{ id: 'web' }],
  x_search_filter: { allowed_x_handles: ['x'] },
}

/** Fields that validation derives from others. */
const MADE = ['tools', 'tool_choice']

it('a valid request has each field of its body under its own name', () => {
  const valid = validateRequest(BODY)
  if (!valid.ok) throw valid.error
  const read = bodyOf('lenient').parse(BODY)
  const sent = Object.keys(valid.request).filter((name) => name in read && !MADE.includes(name))
  expect(sent.toSorted()).toEqual(Object.keys(BODY).toSorted())
  for (const name of sent) expect([name, Reflect.get(valid.request, name)]).toEqual([name, Reflect.get(read, name)])
  expect(new Set(sent.map((name) => JSON.stringify(Reflect.get(read, name)))).size).toBe(sent.length)
})
