/**
 * A host for llm-bridge, which is a library: `node llm-bridge.mjs <port> <base URL of the upstream>`. The path of a request
 * is `/PROTOCOL/UPSTREAM/…`. Requests are translated with `translateBetweenProviders`, streams with
 * `handleUniversalStreamRequest`, and errors with `parseProviderError` and `translateError`.
 */
import { createServer } from 'node:http'
import { handleUniversalStreamRequest, parseProviderError, translateBetweenProviders, translateError } from 'llm-bridge'

const [port = '', base = ''] = process.argv.slice(2)

const PROVIDERS = {
  chat: 'openai',
  messages: 'anthropic',
  gemini: 'google',
  responses: 'openai-responses',
  'openai-chat': 'openai',
  'anthropic-messages': 'anthropic',
  'gemini-generate': 'google',
  'openai-responses': 'openai-responses',
}

const PATHS = {
  openai: () => '/v1/chat/completions',
  anthropic: () => '/v1/messages',
  google: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  'openai-responses': () => '/v1/responses',
}

const KEYS = {
  openai: { authorization: 'Bearer x' },
  anthropic: { 'x-api-key': 'x', 'anthropic-version': '2023-06-01' },
  google: { 'x-goog-api-key': 'x' },
  'openai-responses': { authorization: 'Bearer x' },
}

const asJson = (response, status, body) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function answer(request, response) {
  const [, protocol, upstream] = request.url.split('/')
  const [from, to] = [PROVIDERS[protocol], PROVIDERS[upstream]]
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
  const model = body.model ?? /models\/([^/:]+):/.exec(request.url)?.[1]
  const translated = translateBetweenProviders(from, to, body)
  // The model and the form of an answer of Google are in the path, those of the others in the body.
  const own = to === 'google' ? translated : { ...translated, model, stream: true }
  const answered = await fetch(base + PATHS[to](model), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...KEYS[to] },
    body: JSON.stringify(own),
  })
  if (!answered.ok) {
    const { statusCode, body: error } = translateError(parseProviderError(await answered.json(), to), from)
    asJson(response, statusCode, error)
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for await (const piece of handleUniversalStreamRequest(answered.body, to, from)) response.write(piece)
  response.end()
}

createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (response.headersSent) response.destroy()
    else asJson(response, 500, { error: { message: String(error), type: 'host_error' } })
  })
}).listen(Number(port), '127.0.0.1')
