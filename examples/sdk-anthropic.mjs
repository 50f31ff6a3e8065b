// The official Anthropic client.
import Anthropic from '@anthropic-ai/sdk'

const { MILLRACE_URL = 'http://127.0.0.1:8787', MILLRACE_KEY } = process.env
if (!MILLRACE_KEY) throw new Error('Set MILLRACE_KEY to a key of the server; `npm start` prints one.')
const client = new Anthropic({ baseURL: MILLRACE_URL, apiKey: MILLRACE_KEY })

const stream = client.messages.stream({
  model: 'replay/reasoning',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'How many eggs are left?' }],
})
const message = await stream.finalMessage()
for (const block of message.content) console.log(block.type, block.text ?? block.thinking)
