import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { streamText } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { inPieces, streamOf } from '../../mock-upstreams/server.ts'
import { KEY, startTestServer } from '../test-server.ts'

const mounts = (usage?: string) => [{ path: '/api/v1', dialect: 'beta', ...(usage === undefined ? {} : { usage }) }]
const open = (usage?: string) => startTestServer(inPieces(streamOf('Hel', 'lo'), 10), { mounts: mounts(usage) })
const MESSAGES = [{ role: 'user' as const, content: 'Hello' }]

async function chunksOf(url: string, asked: boolean | null) {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${url}/api/v1`, maxRetries: 0 })
  const stream = await client.chat.completions.create({
    model: 'acme/mock-1',
    messages: MESSAGES,
    stream: true,
    ...(asked === null ? {} : { stream_options: { include_usage: asked } }),
  })
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

describe.each([
  [undefined, null, false],
  ['asked', null, false],
  ['asked', true, true],
  ['always', null, true],
  ['always', false, true],
  ['always', true, true],
] as const)('a mount with usage %s, and a request with include_usage %s', (usage, asked, sent) => {
  it(`${sent ? 'sends' : 'does not send'} the usage chunk at the end of a stream`, async () => {
    const { url } = await open(usage)
    const chunks = await chunksOf(url, asked)
    const counted = chunks.filter((chunk) => (chunk.usage ?? null) !== null)
    expect(counted).toHaveLength(sent ? 1 : 0)
    if (!sent) return
    expect(chunks.at(-1)).toBe(counted[0])
    expect(counted[0]).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
    })
  })
})

it("counts tokens for OpenRouter's provider, which never requests them", async () => {
  const { url } = await open('always')
  const provider = createOpenRouter({ apiKey: KEY, baseURL: `${url}/api/v1` })
  const { usage } = streamText({ model: provider.chat('acme/mock-1'), prompt: 'Hello', maxRetries: 0 })
  expect(await usage).toMatchObject({ inputTokens: 3, outputTokens: 5, totalTokens: 8 })
})
