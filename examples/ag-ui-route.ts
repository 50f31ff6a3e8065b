// An agent of AG-UI as a route of Hono: clients such as CopilotKit's `HttpAgent` post the input of a run, and read its events.
import { Hono } from 'hono'
import { createTranslator, type RunInputLike, readRunInput } from 'millrace'

const translator = createTranslator({
  upstream: { vendor: 'google', model: 'gemini-2.5-flash', apiKey: process.env.GEMINI_API_KEY },
  onOutcome: ({ losses, remedy }) => console.error(losses, remedy ?? ''),
})

interface RunInput extends RunInputLike {
  readonly threadId: string
  readonly runId: string
}

export const app = new Hono()

app.post('/agent', async (c) => {
  const run: RunInput = await c.req.json()
  const { input, tools, warnings } = readRunInput(run)
  for (const warning of warnings) console.warn(warning)
  const call = translator.encodeRequest({ model: 'any', input, tools, stream: true }, { signal: c.req.raw.signal })
  const answered = { to: 'ag-ui', settings: { threadId: run.threadId, runId: run.runId } } as const
  if (!call.ok) return translator.errorResponse(call.error, answered)
  for (const { path, action, why } of call.losses) console.warn(`${path} ${action}: ${why}`)
  return translator.toResponse(fetch(call.url, call.init), call, answered)
})
