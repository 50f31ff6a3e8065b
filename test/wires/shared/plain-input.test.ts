import { describe, expect, it } from 'vitest'
import { translateRequest } from '../../../src/index.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { formatLoss } from '../../../src/protocol/loss.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { messagesOf } from '../anthropic-messages/bodies.ts'
import { call, output, user } from '../hub-requests.ts'

/** Members of the input that only some upstreams have a field for: of clients of Anthropic, to each upstream. */

const MODELS: Readonly<Record<string, string>> = {
  'bedrock-converse': 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  'cohere-chat': 'command-a-03-2025',
}

function sent(to: WireName, messages: readonly JsonObject[]) {
  const body = { model: MODELS[to] ?? 'model-1', max_tokens: 9, messages }
  const result = translateRequest(body, { from: 'anthropic-messages', to })
  if (!result.ok) throw new Error(result.error.message)
  return { body: result.body, losses: result.losses.map(formatLoss) }
}

const failed = (content?: unknown): JsonObject[] => [
  { role: 'user', content: 'Weather?' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'call12345', name: 'f', input: {} }] },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'call12345', is_error: true, ...(content === undefined ? {} : { content }) },
    ] as never,
  },
]

const SENT_AS_TEXT = 'messages[2].content[0].is_error mapped: sent as text: "Error:" precedes the result'

describe('the result of a failed tool', () => {
  it('has is_error at Anthropic', () => {
    expect(messagesOf([call('call_1'), { ...output('call_1', 'no such city'), failed: true }])).toMatchObject([
      {},
      {},
      { content: [{ type: 'tool_result', is_error: true, content: 'no such city' }] },
    ])
  })

  it('has the status error at Bedrock', () => {
    const { body, losses } = sent('bedrock-converse', failed('no such city'))
    expect(body).toMatchObject({
      messages: [{}, {}, { content: [{ toolResult: { status: 'error', content: [{ text: 'no such city' }] } }] }],
    })
    expect(losses.filter((loss) => loss.includes('is_error'))).toEqual([])
  })

  it.each([
    ['no such city', 'Error: no such city'],
    [undefined, 'Error:'],
    ['', 'Error:'],
    [
      [
        { type: 'text', text: 'A' },
        { type: 'text', text: 'B' },
      ],
      'Error:\nA\nB',
    ],
  ])('begins with a word elsewhere, which is a recorded loss: %j', (content, text) => {
    const { body, losses } = sent('openai-chat', failed(content))
    expect(body).toMatchObject({ messages: [{}, {}, { role: 'tool', content: text }] })
    expect(losses).toEqual([SENT_AS_TEXT])
  })

  it.each(['openai-responses', 'gemini-generate', 'cohere-chat', 'ollama-chat'] as const)(
    'begins with a word at %s',
    (to) => {
      const { body, losses } = sent(to, failed('no such city'))
      expect(JSON.stringify(body)).toContain('Error: no such city')
      expect(JSON.stringify(body)).not.toContain('failed')
      expect(losses).toContain(SENT_AS_TEXT)
    },
  )
})

const PDF = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }
const PLAIN = { type: 'text', media_type: 'text/plain', data: 'Bern is the capital.' }

const cited = (source: JsonObject): JsonObject[] => [
  {
    role: 'user',
    content: [
      { type: 'document', source: { type: 'url', url: 'https://a.example/a.pdf' } },
      { type: 'text', text: 'Capital?' },
      { type: 'document', source, title: 'T', citations: { enabled: true } },
    ] as never,
  },
]

describe('citations of a document', () => {
  it('are requested at Anthropic', () => {
    const file = { type: 'input_file', filename: 'T', file_url: 'https://a.example/a.pdf', cited: true }
    expect(messagesOf([user([file])])).toMatchObject([
      { content: [{ type: 'document', title: 'T', citations: { enabled: true } }] },
    ])
  })

  it.each([
    [PDF, 'pdf'],
    [PLAIN, 'txt'],
  ])('are requested at Bedrock for %j', (source, format) => {
    const { body, losses } = sent('bedrock-converse', cited(source))
    const document = { format, name: 'T', citations: { enabled: true } }
    expect(body).toMatchObject({ messages: [{ content: [{}, {}, { document }] }] })
    expect(losses.filter((loss) => loss.includes('citations'))).toEqual([])
  })

  it('are those of the documents of the request at Cohere', () => {
    const { body, losses } = sent('cohere-chat', cited(PLAIN))
    expect(body).toMatchObject({ documents: [{ data: { title: 'T', text: PLAIN.data } }] })
    expect(losses.filter((loss) => loss.includes('citations'))).toEqual([])
  })

  it.each(['openai-chat', 'openai-responses', 'gemini-generate', 'ollama-chat'] as const)(
    'are a recorded loss at %s, and the text of a text file is sent as text',
    (to) => {
      const { body, losses } = sent(to, cited(PLAIN))
      expect(JSON.stringify(body)).toContain(JSON.stringify('T\n\nBern is the capital.').slice(1, -1))
      expect(JSON.stringify(body)).not.toContain('cited')
      expect(losses).toContain('messages[0].content[2].citations dropped: this upstream does not cite documents')
    },
  )

  it('of a search result are a recorded loss', () => {
    const found = {
      type: 'search_result',
      source: 'https://a.example',
      title: 'A',
      content: [{ type: 'text', text: 'B' }],
      citations: { enabled: true },
    }
    const { losses } = sent('openai-chat', [{ role: 'user', content: [found] as never }])
    expect(losses.map((loss) => loss.split(':')[0])).toEqual([
      'messages[0].content[0].citations dropped',
      'messages[0].content[0] mapped',
    ])
  })
})
