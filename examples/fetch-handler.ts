// Serves the clients of Anthropic's API with a model of Groq, in any runtime with fetch.
import { createTranslator } from 'millrace'

const translator = createTranslator({
  client: 'anthropic-messages',
  upstream: { vendor: 'groq', model: 'llama-3.3-70b-versatile', apiKey: process.env.GROQ_API_KEY },
  onOutcome: ({ remedy }) => remedy !== null && console.error(remedy),
})

export default async function handle(request: Request): Promise<Response> {
  const call = translator.encodeRequest(await request.text())
  if (!call.ok) return translator.errorResponse(call.error)
  return translator.toResponse(fetch(call.url, { ...call.init, signal: request.signal }), call)
}
