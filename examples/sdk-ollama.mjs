// The official Ollama client.
import { Ollama } from 'ollama'

const { MILLRACE_URL = 'http://127.0.0.1:8787', MILLRACE_KEY } = process.env
if (!MILLRACE_KEY) throw new Error('Set MILLRACE_KEY to a key of the server; `npm start` prints one.')
const client = new Ollama({ host: MILLRACE_URL, headers: { authorization: `Bearer ${MILLRACE_KEY}` } })

const stream = await client.chat({
  model: 'replay/hello',
  messages: [{ role: 'user', content: 'Hello!' }],
  stream: true,
})
for await (const line of stream) process.stdout.write(line.message.content)
