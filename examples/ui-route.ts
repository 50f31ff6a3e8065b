// A chat of the AI SDK: the route of Next.js that `useChat` calls, here answered by Claude, without `ai` on the server.
import { createTranslator, readUIMessages, type UIMessageLike } from 'millrace'

const translator = createTranslator({
  upstream: { vendor: 'anthropic', model: 'claude-sonnet-4-5', apiKey: process.env.ANTHROPIC_API_KEY },
  onOutcome: ({ losses, remedy }) => console.error(losses, remedy ?? ''),
})

const answered = { to: 'ai-sdk-ui', settings: { usage: true } } as const

export async function POST(request: Request): Promise<Response> {
  const { messages }: { readonly messages: readonly UIMessageLike[] } = await request.json()
  const { input, warnings } = readUIMessages(messages)
  for (const warning of warnings) console.warn(warning)
  const call = translator.encodeRequest({ model: 'any', input, stream: true }, { signal: request.signal })
  if (!call.ok) return translator.errorResponse(call.error, answered)
  for (const { path, action, why } of call.losses) console.warn(`${path} ${action}: ${why}`)
  return translator.toResponse(fetch(call.url, call.init), call, answered)
}
