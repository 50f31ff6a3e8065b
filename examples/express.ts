// An Express route for clients of chat completions, answered by Gemini.
import { pipeline } from 'node:stream/promises'
import express from 'express'
import { createTranslator } from 'millrace'

const translator = createTranslator({
  client: 'openai-chat',
  upstream: { vendor: 'google', model: 'gemini-2.5-flash', apiKey: process.env.GEMINI_API_KEY },
  onOutcome: ({ remedy }) => remedy !== null && console.error(remedy),
})

export const app = express()

app.post(
  '/v1/chat/completions',
  express.text({ type: 'application/json', limit: '20mb' }),
  async (request, response) => {
    const call = translator.encodeRequest(request.body)
    const answer = call.ok
      ? await translator.toResponse(fetch(call.url, call.init), call)
      : translator.errorResponse(call.error)
    response.status(answer.status).setHeaders(answer.headers)
    // Errors after the first byte are events of the stream; a client that leaves closes the upstream.
    if (answer.body !== null) await pipeline(answer.body, response).catch(() => undefined)
  },
)
