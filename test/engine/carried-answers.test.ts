import { describe, expect, it } from 'vitest'
import { readClientRequest } from '../../src/engine/client-request.ts'
import { passingOf } from '../../src/engine/passthrough/answers.ts'
import { encodeUpstreamCall, routeRequest, type UpstreamRoute } from '../../src/engine/upstream-call.ts'
import { runSteps } from '../../src/text/steps.ts'
import { protocolOf, routeTo } from './encode-from.ts'
import { callOf, routedTo } from './encoded-call.ts'

/** How the answer to a chat request is given: of a passed or a carried request, passed or translated. */
function answerOf(body: object, vendor: string, more: Partial<UpstreamRoute> = {}) {
  const chat = { model: 'acme/m', messages: [{ role: 'user', content: 'Hi' }], ...body }
  const route = routeTo(vendor, 'm', more)
  const read = runSteps(readClientRequest(chat, protocolOf('openai-chat', route)))
  if (!read.ok) return expect.unreachable(read.error.message)
  const routed = routeRequest(read.value, route)
  const call = runSteps(encodeUpstreamCall(routed))
  if (!call.ok) return expect.unreachable(call.error.message)
  const { edits } = call.value
  return [edits === null ? 'carried' : 'passed', passingOf(routed, edits) === null ? 'translated' : 'passed']
}

const TOOL = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }

describe('the answer of an upstream of the own protocol', () => {
  it.each<[string, object, Partial<UpstreamRoute>, readonly string[]]>([
    ['a request that is passed', {}, {}, ['passed', 'passed']],
    ['passthrough that is off', {}, { passthrough: false }, ['carried', 'passed']],
    [
      'a quirk of the vendor',
      { tools: [TOOL], tool_choice: 'required' },
      { quirks: { noNamedChoice: true } },
      ['carried', 'passed'],
    ],
    ['functions of the older form', { functions: [TOOL.function] }, {}, ['carried', 'translated']],
    [
      'calls that only the hub joins',
      { tools: [TOOL] },
      { quirks: { splitsAnswers: true } },
      ['carried', 'translated'],
    ],
  ])('of %s', (_, body, more, expected) => {
    expect(answerOf(body, 'groq', more)).toEqual(expected)
  })

  it('is translated where a pass has a machine for it, and where the upstream has other names of tools', () => {
    const custom = routedTo('openai', 'm', { tools: [{ type: 'custom', name: 'c' }] }, { quirks: {} })
    expect(custom.passes.some(({ back }) => back !== undefined)).toBe(true)
    expect(passingOf(custom, null)).toBeNull()
    const spaced = {
      type: 'namespace',
      name: 'n',
      description: 'd',
      tools: [{ type: 'function', name: 'f', parameters: null }],
    }
    const named = routedTo('openai', 'm', { tools: [spaced] }, { quirks: {} })
    expect(Object.keys(named.client.request.names)).not.toEqual([])
    expect(passingOf(named, null)).toBeNull()
    expect(passingOf(routedTo('openai', 'm', {}), null)).not.toBeNull()
    expect(callOf('openai', 'm', {}).edits).toBeNull()
  })

  it('is translated where its ids change with each event, also if the request is passed', () => {
    for (const edits of [null, []]) {
      expect(passingOf(routedTo('copilot-responses', 'm', {}), edits)).toBeNull()
      expect(passingOf(routedTo('openai', 'm', {}), edits)).not.toBeNull()
    }
  })

  it('is translated for clients of another protocol', () => {
    expect(passingOf(routedTo('anthropic', 'm', {}), null)).toBeNull()
  })
})
