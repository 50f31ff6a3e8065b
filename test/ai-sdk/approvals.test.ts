import * as ai6 from 'ai'
import * as ai7 from 'ai-7'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/protocol/json.ts'
import { SDKS, type Sdk } from './sdks.ts'

const item = (fields: JsonObject): JsonObject => ({
  server_label: 'dice',
  name: 'roll',
  arguments: '{"sides":6}',
  ...fields,
})
const answer = (...output: readonly JsonObject[]): JsonObject => ({
  id: 'resp_up',
  object: 'response',
  status: 'completed',
  model: 'gpt-5-mini',
  output,
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
})
const LISTED = { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'dice', tools: [] }
const REQUEST = item({ type: 'mcp_approval_request', id: 'mcpr_1' })
const TEXT = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'A four.', annotations: [] }],
}

/** The call that the input approves. */
const approved = (input: readonly JsonObject[]): JsonObject => {
  const { approval_request_id = '' } = input.find(({ type }) => type === 'mcp_approval_response') ?? {}
  return answer(item({ type: 'mcp_call', id: 'mcp_1', approval_request_id, output: '4', error: null }), TEXT)
}
const streamed = (response: JsonObject): string => {
  const items = response.output as readonly JsonObject[]
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...items.flatMap((one, output_index) => [
      { type: 'response.output_item.added', output_index, item: one },
      { type: 'response.output_item.done', output_index, item: one },
    ]),
    { type: 'response.completed', response },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

type Answer = JsonObject | ((input: readonly JsonObject[]) => JsonObject)

/** A vendor that answers with these, one after the other, and the inputs that it received. */
function vendorOf(...answers: readonly Answer[]) {
  const inputs: (readonly JsonObject[])[] = []
  const fetch = (async (_: unknown, init: RequestInit) => {
    const body = JSON.parse(String(init.body)) as { readonly input: readonly JsonObject[]; readonly stream?: boolean }
    const found = answers[inputs.length] ?? answer(TEXT)
    const next = typeof found === 'function' ? found(body.input) : found
    inputs.push(body.input)
    return body.stream === true
      ? new Response(streamed(next), { headers: { 'content-type': 'text/event-stream' } })
      : Response.json(next)
  }) as typeof globalThis.fetch
  return { inputs, fetch }
}

const aiOf = ({ version }: Sdk): typeof ai7 => (version === 6 ? (ai6 as never) : ai7)

describe.each(SDKS)('a request for approval by version $version of the AI SDK', (sdk) => {
  const ai = aiOf(sdk)

  it.each([true, false])('is answered with the same id: %s', async (isApproved) => {
    const { inputs, fetch } = vendorOf(answer(LISTED, REQUEST), approved)
    const model = sdk.model('openai-responses', 'https://vendor.example', { fetch }) as never
    const first = await ai.generateText({ model, prompt: 'Roll.' })
    const requested = first.content.filter(({ type }) => type === 'tool-approval-request')
    expect(requested).toMatchObject([{ approvalId: expect.any(String), toolCall: { toolName: 'mcp.roll' } }])
    const { approvalId } = requested[0] as { approvalId: string }
    const second = await ai.generateText({
      model,
      messages: [
        { role: 'user', content: 'Roll.' },
        ...first.response.messages,
        {
          role: 'tool',
          content: [{ type: 'tool-approval-response', approvalId, approved: isApproved, providerExecuted: true }],
        },
      ] as never,
    })
    expect(second.text).toBe('A four.')
    const sent = inputs[1]?.filter(({ type }) => String(type).startsWith('mcp_approval')) ?? []
    expect(sent).toEqual([
      { ...REQUEST, id: approvalId },
      { type: 'mcp_approval_response', approval_request_id: approvalId, approve: isApproved },
    ])
  })

  it('is a part of an interface that waits for the answer, and has the result of the call at the end', async () => {
    const { inputs, fetch } = vendorOf(answer(REQUEST), approved)
    const model = sdk.model('openai-responses', 'https://vendor.example', { fetch }) as never
    const read = async (messages: ai7.UIMessage[]): Promise<ai7.UIMessage> => {
      const result = ai.streamText({ model, messages: await ai.convertToModelMessages(messages) })
      let last: ai7.UIMessage | undefined
      const stream = result.toUIMessageStream({ originalMessages: messages })
      const message = messages.at(-1)?.role === 'assistant' ? messages.at(-1) : undefined
      for await (const one of ai.readUIMessageStream({
        stream: stream as never,
        ...(message === undefined ? {} : { message }),
      }))
        last = one as ai7.UIMessage
      if (last === undefined) throw new Error('no message')
      return last
    }
    const user: ai7.UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Roll.' }] }
    const asked = await read([user])
    const part = asked.parts.find(({ type }) => type === 'dynamic-tool') as unknown as JsonObject
    expect(part).toMatchObject({
      toolName: 'mcp.roll',
      state: 'approval-requested',
      approval: { id: expect.any(String) },
    })
    const answered = {
      ...part,
      state: 'approval-responded',
      approval: { ...(part.approval as JsonObject), approved: true },
    }
    const parts = asked.parts.map((one) => (one === (part as unknown) ? answered : one)) as ai7.UIMessage['parts']
    const done = await read([user, { ...asked, parts }])
    const tools = done.parts.filter(({ type }) => type === 'dynamic-tool')
    const { toolCallId } = part
    // Each step has a part of its own under the same id.
    expect(tools).toMatchObject([{ toolCallId }, { toolCallId, state: 'output-available', output: { output: '4' } }])
    await read([user, done, { ...user, id: 'v' }])
    expect(inputs[2]?.map(({ type }) => type)).toEqual([
      'message',
      'mcp_approval_request',
      'mcp_approval_response',
      'mcp_call',
      'message',
      'message',
    ])
  })
})

describe('an item that is no part of version 3 of the interface', () => {
  const collect = async (sdk: Sdk) => {
    const { fetch } = vendorOf(answer(LISTED, TEXT))
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] as const
    return sdk.model('openai-responses', 'https://vendor.example', { fetch }).doGenerate({ prompt })
  }

  it('is a loss of the answer there, and content in version 4', async () => {
    const [v3, v4] = await Promise.all(SDKS.map(collect))
    expect(v3?.providerMetadata).toMatchObject({ millrace: { losses: ['mcp_list_tools'] } })
    expect(v4?.content[0]).toMatchObject({ type: 'custom', kind: 'millrace.item' })
    expect(JSON.stringify(v4?.providerMetadata ?? {})).not.toContain('losses')
  })
})

describe('the places of citations', () => {
  const CITED = {
    ...TEXT,
    content: [
      {
        type: 'output_text',
        text: 'A four.',
        annotations: [{ type: 'url_citation', url: 'https://a.example/', title: 'A', start_index: 0, end_index: 6 }],
      },
    ],
  }

  it.each(SDKS)('are with their text in version $version', async (sdk) => {
    const { fetch } = vendorOf(answer(CITED))
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] as const
    const { content } = await sdk.model('openai-responses', 'https://vendor.example', { fetch }).doGenerate({ prompt })
    const citations = [{ startIndex: 0, endIndex: 6, source: { url: 'https://a.example/' } }]
    const own = sdk.version === 6 ? { providerMetadata: { millrace: { citations } } } : { citations }
    expect(content.find(({ type }) => type === 'text')).toMatchObject(own)
  })
})
