import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readClientRequest } from '../../../src/engine/client-request.ts'
import { ruleFacts } from '../../../src/engine/passes/rules.ts'
import { rulesFor } from '../../../src/engine/rules/rules.ts'
import { subjectsOf } from '../../../src/engine/rules/subjects.ts'
import { runSteps } from '../../../src/text/steps.ts'
import { findVendor } from '../../../src/vendors/registry.ts'
import { quirksOn } from '../../../src/vendors/vendor.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { check } from '../../property.ts'
import { protocolOf, routeTo } from '../encode-from.ts'

const UPSTREAMS = [
  ['openai', 'gpt-5.2-codex'],
  ['openai', 'gpt-4.1'],
  ['anthropic', 'claude-opus-5-5'],
  ['google', 'gemini-2.5-pro'],
  ['mistral', 'mistral-large-4'],
  ['groq', 'gpt-oss-120b'],
] as const

const item = fc.constantFrom(
  { role: 'user', content: ' ' },
  { role: 'assistant', content: 'I see.' },
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/gif;base64,iVBORw0KGgoA' }] },
  { type: 'function_call', call_id: 'a', name: 'get', arguments: '{' },
  { type: 'function_call', call_id: 'b', name: 'get', arguments: '{}' },
  { type: 'function_call_output', call_id: 'a', output: 'x' },
)

const body = fc.record(
  {
    model: fc.constant('m'),
    input: fc.array(item, { maxLength: 5 }),
    tools: fc.constantFrom([], [{ type: 'function', name: 'get', parameters: { anyOf: [{ type: 'object' }] } }]),
    tool_choice: fc.constantFrom('auto', 'required'),
    text: fc.constantFrom({}, { format: { type: 'json_object' } }),
  },
  { requiredKeys: ['model', 'input'] },
)

const CLIENTS = ['openai-responses', 'openai-chat'] as const

it('a rule changes no request without its subject', () => {
  const skipped = new Set<string>()
  check(
    fc.property(fc.constantFrom(...CLIENTS), fc.constantFrom(...UPSTREAMS), body, (client, [vendor, model], sent) => {
      const row = findVendor(vendor) ?? expect.unreachable(vendor)
      const route = routeTo(vendor, model, { wire: WIRES[row.wire], quirks: quirksOn(row, row.wire) })
      const read = runSteps(readClientRequest(sent, protocolOf('openai-responses', route)))
      if (!read.ok) return
      const { request } = read.value
      const facts = ruleFacts(route, client)
      const subjects = subjectsOf(request)
      for (const { name, subject, mend } of rulesFor(facts)) {
        if (subject === undefined || subjects[subject]) continue
        skipped.add(name)
        const result = mend(request, facts)
        const fitted = 'next' in result ? runSteps(result) : result
        expect(fitted.request, name).toEqual(request)
        expect(fitted.losses, name).toEqual([])
      }
    }),
    4000,
  )
  expect(skipped.size).toBeGreaterThan(5)
})
