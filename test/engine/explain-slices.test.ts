import { expect, it } from 'vitest'
import { explainBodyFor } from '../../src/api/explain-request.ts'
import { clientNamed } from '../../src/api/names.ts'
import { promptOf } from '../../src/engine/explain/prompt.ts'
import { sharedPrefix } from '../../src/engine/explain/shared-prefix.ts'
import type { Steps } from '../../src/text/steps.ts'
import { WIRES } from '../../src/wires/registry.ts'

const messages = Array.from({ length: 600 }, (_, at) => ({
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

it('compares prompts in slices, also with a breakpoint on each block', () => {
  const count = 2000
  const content = Array.from({ length: count }, () => ({
    type: 'text',
    text: 'a',
    cache_control: { type: 'ephemeral' },
  }))
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }], tools: [toolOf(count)] }
  const [prompt, ofPrompt] = counted(promptOf(WIRES['anthropic-messages'].body, body))
  const [shared, ofShared] = counted(sharedPrefix(prompt, prompt, true))
  expect([shared.cached, shared.differsAt]).toEqual([shared.total, null])
  for (const steps of [ofPrompt, ofShared]) expect(steps).toBeGreaterThan(count)
})

const toolOf = (members: number) => ({
  name: 'f',
  input_schema: {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: members }, (_, at) => [`m${at}`, { type: 'string' }])),
  },
})

/** The result of the work, and the number of its steps. */
function counted<Result>(work: Steps<Result>): readonly [result: Result, steps: number] {
  for (let steps = 0; ; steps += 1) {
    const { done, value } = work.next()
    if (done === true) return [value, steps]
  }
}
