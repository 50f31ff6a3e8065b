// An agent of AG-UI as a route of Hono: clients such as CopilotKit's `HttpAgent` post the input of a run, and read its events.
import { Hono } from 'hono'
import { createTranslator } from 'millrace'

const translator = createTranslator({
  upstream: { vendor: 'google', model: 'gemini-2.5-flash', apiKey: process.env.GEMINI_API_KEY },
  onOutcome: ({ losses, remedy }) => console.error(losses, remedy ?? ''),
})

interface RunInput {
  readonly threadId: string
  readonly runId: string
  readonly messages: readonly {
    readonly role: string
    readonly content?: string
    readonly toolCallId?: string
    readonly encryptedValue?: string
    readonly toolCalls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[]
  }[]
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters?: object }[]
}

/** A message of a thread → items of a request. Reasoning comes back with its encrypted value. */
function toItems({
  role,
  content = '',
  toolCallId,
  encryptedValue,
  toolCalls = [],
}: RunInput['messages'][number]): object[] {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: toolCallId, output: content }]
  if (role === 'reasoning') {
    const summary = content === '' ? [] : [{ type: 'summary_text', text: content }]
    return encryptedValue === undefined ? [] : [{ type: 'reasoning', summary, encrypted_content: encryptedValue }]
  }
  const message = content === '' ? [] : [{ role, content }]
  const calls = toolCalls.map(({ id, function: fn }) => ({ type: 'function_call', call_id: id, ...fn }))
  return [...message, ...calls]
}

export const app = new Hono()

app.post('/agent', async (c) => {
  const { threadId, runId, messages, tools }: RunInput = await c.req.json()
  const call = translator.encodeRequest({
    model: 'any',
    input: messages.flatMap(toItems),
    tools: tools.map(({ name, description, parameters = {} }) => ({ type: 'function', name, description, parameters })),
    stream: true,
  })
  const settings = { threadId, runId }
  if (!call.ok) return translator.errorResponse(call.error)
  const answer = fetch(call.url, { ...call.init, signal: c.req.raw.signal })
  return translator.toResponse(answer, call, { to: 'ag-ui', settings })
})
