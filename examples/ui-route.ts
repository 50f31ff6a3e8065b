// A chat of the AI SDK: the route of Next.js that `useChat` calls, here answered by Claude, without `ai` on the server.
import { createTranslator } from 'millrace'

const translator = createTranslator({
  upstream: { vendor: 'anthropic', model: 'claude-sonnet-4-5', apiKey: process.env.ANTHROPIC_API_KEY },
  onOutcome: ({ losses, remedy }) => console.error(losses, remedy ?? ''),
})

interface UIMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly { readonly type: string; readonly text?: string }[]
}

export async function POST(request: Request): Promise<Response> {
  const { messages }: { readonly messages: readonly UIMessage[] } = await request.json()
  const input = messages.map(({ role, parts }) => ({
    role,
    content: parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join(''),
  }))
  const call = translator.encodeRequest({ model: 'any', input, stream: true }, { signal: request.signal })
  const settings = { usage: true }
  if (!call.ok) return translator.errorResponse(call.error)
  return translator.toResponse(fetch(call.url, call.init), call, { to: 'ai-sdk-ui', settings })
}
