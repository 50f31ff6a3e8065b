import { expect, it } from 'vitest'
import { explainBodyFor } from '../../src/api/explain-request.ts'
import { clientNamed } from '../../src/api/names.ts'
import { WIRES } from '../../src/wires/registry.ts'

const messages = Array.from({ length: 2000 }, (_, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: 'x'.repeat(200),
}))

it.each(Object.values(WIRES))('explains a long request for $name in slices', (wire) => {
  const route = {
    wire,
    quirks: {},
    vendor: 'acme',
    model: 'm',
    baseUrl: 'https://upstream.invalid',
    key: null,
    headers: {},
  }
  const body = { model: 'acme/m', max_tokens: 9, messages }
  const settings = { previous: { ...body, messages: messages.slice(0, -2) } }
  const steps = explainBodyFor(clientNamed('client', 'anthropic-messages'), route, body, settings)
  let count = 0
  for (;;) {
    const { done, value } = steps.next()
    if (done) {
      expect(value.ok).toBe(true)
      break
    }
    count += 1
  }
  expect(count).toBeGreaterThan(100)
})
