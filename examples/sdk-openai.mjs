// The official OpenAI client: Responses and chat completions of the gateway.
import OpenAI from 'openai'

const { MILLRACE_URL = 'http://127.0.0.1:8787', MILLRACE_KEY } = process.env
if (!MILLRACE_KEY) throw new Error('Set MILLRACE_KEY to a key of the server; `npm start` prints one.')
const client = new OpenAI({ baseURL: `${MILLRACE_URL}/v1`, apiKey: MILLRACE_KEY })

const response = await client.responses.create({ model: 'replay/hello', input: 'Hello!' })
console.log(response.output_text)

const chat = await client.chat.completions.create({
  model: 'replay/hello',
  messages: [{ role: 'user', content: 'Hello!' }],
})
console.log(chat.choices[0].message.content)
