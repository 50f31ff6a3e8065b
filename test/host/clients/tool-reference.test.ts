import Anthropic from '@anthropic-ai/sdk'
import type { MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages'
import { describe, expect, it } from 'vitest'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { ASSISTANT_ANSWERS, startConversation } from '../conversation.ts'
import { KEY, type Loose } from '../test-server.ts'

/** A client’s own tool search (Claude Code’s ToolSearch): on every wire, the model receives the tools that it found. */

const SCHEMA = { type: 'object' as const, properties: { id: { type: 'string' } } }
const TOOLS: Tool[] = [
  { name: 'ToolSearch', description: 'Finds tools.', input_schema: SCHEMA },
  { name: 'mcp__mail__read', description: 'Reads mail.', input_schema: SCHEMA, defer_loading: true },
]
const REFERENCE = { type: 'tool_reference' as const, tool_name: 'mcp__mail__read' }
const MESSAGES: MessageParam[] = [
  { role: 'user', content: 'Read my mail.' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { id: 'mail' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [REFERENCE] }] },
]
const WORDS = 'The tool mcp__mail__read was found and can be called.'

describe.each(Object.values(WIRE_UPSTREAMS))('a tool found by a search, with an upstream of $wire', (wireUpstream) => {
  it.each([true, false])('reaches the model in the result of the search, stream %s', async (stream) => {
    const { upstream, url, model } = await startConversation(wireUpstream, [ASSISTANT_ANSWERS])
    const client = new Anthropic({ baseURL: `${url}/api`, apiKey: KEY, maxRetries: 0 })
    const asked = { model, max_tokens: 1000, messages: MESSAGES, tools: TOOLS }
    const { data, response } = await client.messages.create({ ...asked, stream }).withResponse()
    if ('controller' in data) for await (const event of data) expect(event.type).not.toBe('error')
    const losses = response.headers.get('x-responses-losses') ?? ''
    const body = upstream.received[0]?.body as Loose
    const text = JSON.stringify(body)
    if (wireUpstream.wire === 'anthropic-messages') {
      expect(body.messages.at(-1).content).toEqual([
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [REFERENCE] },
      ])
      expect(body.tools.map(({ defer_loading }: Loose) => defer_loading)).toEqual([undefined, true])
      expect(losses).toBe('')
    } else {
      expect(text).toContain(WORDS)
      expect(text).toContain('Reads mail.')
      expect(losses.split(', ')).toEqual(
        expect.arrayContaining(['tools[1].defer_loading dropped', 'messages[2].content[0].content[0] mapped']),
      )
    }
  })
})

it('a tool reference without a name is rejected with its path', async () => {
  const [upstream] = Object.values(WIRE_UPSTREAMS)
  if (upstream === undefined) return expect.unreachable()
  const { url, model } = await startConversation(upstream, [ASSISTANT_ANSWERS])
  const client = new Anthropic({ baseURL: `${url}/api`, apiKey: KEY, maxRetries: 0 })
  const content = [{ type: 'tool_reference' as const, tool_name: '' }]
  const messages: MessageParam[] = [
    ...MESSAGES.slice(0, 2),
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
  ]
  const refused = await client.messages
    .create({ model, max_tokens: 9, messages, tools: TOOLS })
    .catch((it: unknown) => it)
  expect(refused).toMatchObject({ status: 400 })
  expect(`${(refused as Error).message}`).toContain('messages[2].content[0].content[0].tool_name')
})
