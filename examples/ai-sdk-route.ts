// A chat with tools of the AI SDK on the server: the route of Next.js that `useChat` calls, with a provider for any vendor.
import { convertToModelMessages, jsonSchema, stepCountIs, streamText, type UIMessage } from 'ai'
import { createMillrace } from 'millrace/ai-sdk'

const claude = createMillrace({
  specification: 'v3', // of the AI SDK 6; without it, models are those of version 7
  vendor: 'anthropic',
  apiKey: process.env.ANTHROPIC_API_KEY,
  onOutcome: ({ losses, remedy }) => console.error(losses, remedy ?? ''),
})

const tools = {
  departures: {
    description: 'The departures of a harbour.',
    inputSchema: jsonSchema<{ harbour: string }>({
      type: 'object',
      properties: { harbour: { type: 'string' } },
      required: ['harbour'],
    }),
    execute: async ({ harbour }: { harbour: string }) => ({ harbour, departures: ['6:10', '6:25'] }),
  },
}

export async function POST(request: Request): Promise<Response> {
  const { messages }: { messages: UIMessage[] } = await request.json()
  const result = streamText({
    model: claude('claude-sonnet-4-5'),
    messages: await convertToModelMessages(messages),
    tools,
    stopWhen: stepCountIs(5),
    abortSignal: request.signal,
    providerOptions: { millrace: { reasoning: { effort: 'medium', summary: 'auto' } } },
  })
  return result.toUIMessageStreamResponse({ sendReasoning: true, sendSources: true })
}
