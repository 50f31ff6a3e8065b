import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import type { ScriptedTurn, WireUpstream } from '../../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { IS_WHOLE } from '../../property.ts'
import { withKits } from '../../wires/with-kits.ts'
import { startConversation } from '../conversation.ts'
import { eventsOf, json, type Loose, post } from '../test-server.ts'

/** Custom tools in `beta`, a dialect whose only calls are function calls: on every wire, streamed and unstreamed. */

const INPUT = 'milk "and"\nbread ☂'
const CALLING: ScriptedTurn = { text: [], calls: [{ id: 'call_a', name: 'note', args: { input: INPUT } }] }

const GRAMMAR = { type: 'grammar', syntax: 'lark', definition: 'start: /x+/' }
const NOTE = { type: 'custom', name: 'note', description: 'Takes notes', format: GRAMMAR }
const FUNCTION = {
  type: 'function',
  name: 'note',
  description: 'Takes notes\n\nThe input must follow this lark grammar:\nstart: /x+/',
  parameters: {
    type: 'object',
    properties: { input: { type: 'string' } },
    required: ['input'],
    additionalProperties: false,
  },
  strict: null,
}
const HISTORY = [
  { role: 'user', content: 'Note it' },
  { type: 'custom_tool_call', call_id: 'call_0', name: 'note', input: INPUT },
  { type: 'custom_tool_call_output', call_id: 'call_0', output: 'noted' },
]
const CHOICE = { type: 'custom', name: 'note' }

/** A vendor that supports custom tools receives the same request as one that does not. */
const variantsOf = (upstream: WireUpstream): readonly WireUpstream[] => [
  upstream,
  { ...upstream, quirks: { ...upstream.quirks, customTools: true } },
]
const VARIANTS = Object.values(WIRE_UPSTREAMS).flatMap(variantsOf)
/** In a short run each variant is streamed or whole, in turns over the variants and the wires. */
const CASES = VARIANTS.flatMap((upstream, at) =>
  [false, true]
    .filter((stream) => IS_WHOLE || (at + (at >> 1) + Number(stream)) % 2 === 0)
    .map((stream): [string, WireUpstream, boolean] => [
      `${upstream.wire}${upstream.quirks.customTools === true ? ' with custom tools' : ''}, ${stream ? 'streamed' : 'whole'}`,
      upstream,
      stream,
    ]),
)
/** Whether a request of the wire can force a call. Ollama has no field for it. */
const CAN_FORCE: Readonly<Record<WireName, boolean>> = withKits(
  {
    'openai-chat': true,
    'openai-responses': true,
    'anthropic-messages': true,
    'gemini-generate': true,
    'bedrock-converse': true,
    'cohere-chat': true,
    'ollama-chat': false,
  },
  ({ forcesTools }) => forcesTools,
)

async function ask(wireUpstream: WireUpstream, stream: boolean) {
  const { url, model, upstream } = await startConversation(wireUpstream, [CALLING])
  const choice = CAN_FORCE[wireUpstream.wire] ? { tool_choice: CHOICE } : {}
  const response = await post(url, { model, input: HISTORY, tools: [NOTE], ...choice, stream })
  const events: Loose[] = stream ? eventsOf(await response.text()) : []
  const answer = stream ? events.find(({ type }) => type === 'response.completed').response : await json(response)
  return { response, events, answer, sent: upstream.received[0]?.body }
}

describe.each(CASES)('a custom tool in beta, over %s', (_, upstream, stream) => {
  it('is called as a function with one text argument', async () => {
    const { response, events, answer } = await ask(upstream, stream)
    const call = {
      type: 'function_call',
      id: expect.stringMatching(/^fc_/),
      call_id: expect.any(String),
      name: 'note',
      arguments: expect.any(String),
      status: 'completed',
    }
    expect(answer).toMatchObject({ status: 'completed', output: [call] })
    expect(JSON.parse(answer.output[0].arguments)).toEqual({ input: INPUT })
    const whole = events.filter(({ type }) => type === 'response.function_call_arguments.done')
    expect(whole.map((event) => JSON.parse(event.arguments))).toEqual(stream ? [{ input: INPUT }] : [])
    expect(response.headers.get('x-responses-losses')).toContain('tools[0] mapped')
  })

  it('is sent to the upstream as a function, together with its earlier calls', async () => {
    const sent = JSON.stringify((await ask(upstream, stream)).sent)
    expect(sent).toContain('"additionalProperties":false')
    expect(sent).toContain('"required":["input"]')
    expect(sent).not.toContain('custom')
    // Arguments are JSON on some wires, and a string that contains JSON on others.
    const args = JSON.stringify({ input: INPUT })
    expect(sent.includes(args) || sent.includes(JSON.stringify(args))).toBe(true)
  })

  it('is echoed in the response as a function, and so is its tool choice', async () => {
    const { answer } = await ask(upstream, stream)
    expect(answer.tools).toEqual([FUNCTION])
    expect(answer.tool_choice).toEqual(CAN_FORCE[upstream.wire] ? { type: 'function', name: 'note' } : 'auto')
  })
})
