import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { createPromptCache } from '../../mock-upstreams/prompt-cache.ts'
import { startMockUpstream } from '../../mock-upstreams/server.ts'
import { breakpointsIn } from '../../without-breakpoints.ts'
import { json, type Loose, post, startGateway, whenDone } from '../test-server.ts'

/** Sessions of twenty turns with tools: almost the whole prompt of the last one is read from the upstream's cache. */

const TURNS = 20
const MODEL = 'acme/claude-sonnet-4-5'
const RULES = 'You are an agent that reads files. '.repeat(150)
const ABOUT = 'Reads a part of a file. '.repeat(60)
const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } }
const contentOf = (turn: number): string => `Line ${turn} of the file, which is not long. `.repeat(8)

/** An upstream whose every answer calls a tool, and whose usage is that of its prompt cache. */
async function startCaching(options: object = {}) {
  const cache = createPromptCache()
  const bodies: JsonObject[] = []
  const upstream = await startMockUpstream((response, { body }) => {
    const usage = cache.use(body as JsonObject)
    bodies.push(body as JsonObject)
    const at = bodies.length
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        id: `msg_${at}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [
          { type: 'text', text: `I read part ${at}.` },
          { type: 'tool_use', id: `toolu_${at}`, name: 'read', input: { path: `/part-${at}` } },
        ],
        stop_reason: 'tool_use',
        usage,
      }),
    )
  })
  whenDone(upstream.close)
  const acme = { wire: 'anthropic-messages', base_url: upstream.url, key: { env: 'ACME_KEY' }, ...options }
  return { bodies, ...(await startGateway({ vendors: { acme } })) }
}

type Sent = Awaited<ReturnType<typeof startCaching>>

/** The part of the input that was read from the cache, in the last turn. */
interface Reported {
  readonly read: number
  readonly input: number
}

async function responsesSession({ url }: Sent): Promise<Reported> {
  const tools = [{ type: 'function', name: 'read', description: ABOUT, parameters: SCHEMA }]
  const input: object[] = [{ role: 'user', content: 'Read it all.' }]
  let usage: Loose
  for (let turn = 0; turn < TURNS; turn += 1) {
    const response: Loose = await json(
      await post(url, { model: MODEL, instructions: RULES, input, tools, stream: false }),
    )
    usage = response.usage
    const calls = response.output.filter(({ type }: { type: string }) => type === 'function_call')
    input.push(...response.output)
    for (const { call_id } of calls) input.push({ type: 'function_call_output', call_id, output: contentOf(turn) })
  }
  return { read: usage.input_tokens_details.cached_tokens, input: usage.input_tokens }
}

async function chatSession({ url }: Sent): Promise<Reported> {
  const path = { path: '/api/v1/chat/completions' }
  const tools = [{ type: 'function', function: { name: 'read', description: ABOUT, parameters: SCHEMA } }]
  const messages: object[] = [
    { role: 'system', content: RULES },
    { role: 'user', content: 'Read it all.' },
  ]
  let usage: Loose
  for (let turn = 0; turn < TURNS; turn += 1) {
    const completion: Loose = await json(await post(url, { model: MODEL, messages, tools }, path))
    usage = completion.usage
    const { message } = completion.choices[0]
    messages.push(message)
    for (const { id } of message.tool_calls) messages.push({ role: 'tool', tool_call_id: id, content: contentOf(turn) })
  }
  return { read: usage.prompt_tokens_details.cached_tokens, input: usage.prompt_tokens }
}

/** As Claude Code does: two breakpoints in `system`, and one at the end of the prompt. */
async function messagesSession({ url }: Sent): Promise<Reported> {
  const end = { cache_control: { type: 'ephemeral' } }
  const system = [
    { type: 'text', text: 'You are an agent.', ...end },
    { type: 'text', text: RULES, ...end },
  ]
  const tools = [{ name: 'read', description: ABOUT, input_schema: SCHEMA }]
  const messages: JsonObject[] = [{ role: 'user', content: [{ type: 'text', text: 'Read it all.' }] }]
  let usage: Loose
  for (let turn = 0; turn < TURNS; turn += 1) {
    const last: Loose = messages.at(-1)
    const marked = { ...last, content: last.content.map((block: object) => ({ ...block, ...end })) }
    const body = { model: MODEL, max_tokens: 1000, system, tools, messages: [...messages.slice(0, -1), marked] }
    const message: Loose = await json(await post(url, body, { path: '/api/v1/messages' }))
    usage = message.usage
    const calls = message.content.filter(({ type }: { type: string }) => type === 'tool_use')
    messages.push({ role: 'assistant', content: message.content })
    messages.push({
      role: 'user',
      content: calls.map(({ id }: { id: string }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: contentOf(turn),
      })),
    })
  }
  const { input_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage
  expect(usage.cache_creation).toEqual({ ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 })
  return { read, input: input_tokens + read + written }
}

it.each([
  ['a Responses client', responsesSession, {}],
  ['a chat client', chatSession, {}],
  ['an Anthropic client, whose body is passed through', messagesSession, {}],
  ['an Anthropic client, whose body is translated', messagesSession, { passthrough: false }],
] as const)('95 % of the last of twenty prompts of %s are read from the cache', async (_, run, options) => {
  const sent = await startCaching(options)
  const { read, input } = await run(sent)
  expect(sent.bodies).toHaveLength(TURNS)
  expect(read / input).toBeGreaterThanOrEqual(0.95)
  const counts = sent.bodies.map(breakpointsIn)
  expect(Math.min(...counts)).toBeGreaterThan(0)
  expect(Math.max(...counts)).toBeLessThanOrEqual(4)
})

it.each(['client', 'off'])(
  'nothing is read from the cache for a client without breakpoints if the policy is %s',
  async (cache) => {
    const { read, input } = await responsesSession(await startCaching({ cache }))
    expect(input).toBeGreaterThan(2000)
    expect(read).toBe(0)
  },
)
