// A Hono route for clients of the Responses API, answered by Claude.
import { Hono } from 'hono'
import { createTranslator } from 'millrace'

const translator = createTranslator({
  upstream: { vendor: 'anthropic', model: 'claude-sonnet-4-5', apiKey: process.env.ANTHROPIC_API_KEY },
  onOutcome: ({ remedy }) => remedy !== null && console.error(remedy),
})

export const app = new Hono()

app.post('/v1/responses', async (c) => {
  const call = translator.encodeRequest(await c.req.text())
  if (!call.ok) return translator.errorResponse(call.error)
  for (const { path, action, why } of call.losses) console.warn(`${path} ${action}: ${why}`)
  return translator.toResponse(fetch(call.url, { ...call.init, signal: c.req.raw.signal }), call)
})
