import { describe, expect, it } from 'vitest'
import { translateRequest } from '../../../src/index.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { formatLoss } from '../../../src/protocol/loss.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { messagesOf } from '../anthropic-messages/bodies.ts'
import { assistant, call, output, user } from '../hub-requests.ts'
import { type Cases, listed } from '../request-cases.ts'

/** Members of the input that only some upstreams have a field for: of clients of Anthropic, to each upstream. */

const MODELS: Readonly<Record<string, string>> = {
  'bedrock-converse': 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  'cohere-chat': 'command-a-03-2025',
}

/** Messages of a client, and what an upstream receives for them. */
interface PlainCase {
  readonly to: WireName
  readonly messages: readonly object[]
  /** Members of the body. */
  readonly shows?: object
  /** A text in the body. */
  readonly has?: string
  /** All losses that name the member. Left out: none. */
  readonly losses?: readonly string[]
}

const plain = (subject: string, member: string, cases: Cases<PlainCase>) => {
  const checkPlain = ({ to, messages, shows = {}, has = '', losses = [] }: PlainCase): void => {
    const body = { model: MODELS[to] ?? 'model-1', max_tokens: 9, messages: messages as readonly JsonObject[] }
    const result = translateRequest(body, { from: 'anthropic-messages', to })
    if (!result.ok) expect.unreachable(result.error.message)
    expect(result.body).toMatchObject(shows)
    const written = JSON.stringify(result.body)
    expect(written).toContain(JSON.stringify(has).slice(1, -1))
    // Members of the hub.
    expect(written).not.toMatch(/failed|cited/)
    expect(result.losses.map(formatLoss).filter((loss) => loss.includes(member))).toEqual(losses)
  }
  describe(subject, () => {
    for (const [name, found] of Object.entries(cases)) it(name, () => listed(found).forEach(checkPlain))
  })
}

const failed = (content?: unknown): readonly object[] => [
  user('Weather?'),
  assistant([{ type: 'tool_use', id: 'call12345', name: 'f', input: {} }]),
  user([
    { type: 'tool_result', tool_use_id: 'call12345', is_error: true, ...(content === undefined ? {} : { content }) },
  ]),
]
const asText = (to: WireName, content: unknown, words: string): PlainCase => ({
  ...{ to, messages: failed(content), has: words },
  ...(to === 'openai-chat' && { shows: { messages: [{}, {}, { role: 'tool', content: words }] } }),
  losses: ['messages[2].content[0].is_error mapped: sent as text: "Error:" precedes the result'],
})
const SAD = 'no such city'
const PARTS = ['A', 'B'].map((text) => ({ type: 'text', text }))

// biome-ignore format: a row a case
plain('the result of a failed tool', 'is_error', {
  'has the status error at Bedrock': { to: 'bedrock-converse', messages: failed(SAD),
    shows: { messages: [{}, {}, { content: [{ toolResult: { status: 'error', content: [{ text: SAD }] } }] }] } },
  'begins with a word elsewhere, which is a recorded loss':
    (['openai-responses', 'gemini-generate', 'cohere-chat', 'ollama-chat'] as const).map((to) => asText(to, SAD, `Error: ${SAD}`)),
})
// biome-ignore format: a row a case
plain('the result of a failed tool at openai-chat', '', {
  'begins with a word, which is the only loss': [[SAD, `Error: ${SAD}`], [undefined, 'Error:'], ['', 'Error:'], [PARTS, 'Error:\nA\nB']].map(
    ([content, words]) => asText('openai-chat', content, `${words}`)),
})

const PDF = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }
const PLAIN = { type: 'text', media_type: 'text/plain', data: 'Bern is the capital.' }
const URL = { type: 'url', url: 'https://a.example/a.pdf' }
const citations = { enabled: true }
const cited = (source: object): readonly object[] => [
  user([
    { type: 'document', source: URL },
    { type: 'text', text: 'Capital?' },
    { type: 'document', source, title: 'T', citations },
  ]),
]
const found = { ...{ type: 'search_result', source: 'https://a.example', title: 'A' }, content: PARTS, citations }
const UNCITED = 'citations dropped: this upstream does not cite documents'

// biome-ignore format: a row a case
plain('citations of a document', 'citations', {
  'are requested at Bedrock': ([[PDF, 'pdf'], [PLAIN, 'txt']] as const).map(([source, format]) => ({ to: 'bedrock-converse',
    messages: cited(source), shows: { messages: [{ content: [{}, {}, { document: { format, name: 'T', citations } }] }] },
    losses: ['messages[0].content[0].citations mapped: turned on, as for other documents'] })),
  'are those of the documents of the request at Cohere': { to: 'cohere-chat', messages: cited(PLAIN),
    shows: { documents: [{ data: { title: 'T', text: PLAIN.data } }] } },
  'are a recorded loss elsewhere, and the text of a text file is sent as text':
    (['openai-chat', 'openai-responses', 'gemini-generate', 'ollama-chat'] as const).map((to) =>
      ({ to, messages: cited(PLAIN), has: `T\n\n${PLAIN.data}`, losses: [`messages[0].content[2].${UNCITED}`] })),
})
plain('citations of a search result', '', {
  'are a recorded loss beside that of the result': {
    ...{ to: 'openai-chat', messages: [user([found])] },
    losses: ['.citations dropped: the search result is sent as text', ' mapped: sent as text'].map(
      (loss) => `messages[0].content[0]${loss}`,
    ),
  },
})

it('a failed result and the citations of a document have their own members at Anthropic', () => {
  expect(messagesOf([call('call_1'), { ...output('call_1', SAD), failed: true }])).toMatchObject([
    {},
    {},
    { content: [{ type: 'tool_result', is_error: true, content: SAD }] },
  ])
  const file = { type: 'input_file', filename: 'T', file_url: URL.url, cited: true }
  expect(messagesOf([user([file])])).toMatchObject([{ content: [{ type: 'document', title: 'T', citations }] }])
})
