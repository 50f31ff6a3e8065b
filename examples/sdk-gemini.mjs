// The official Gemini client.
import { GoogleGenAI } from '@google/genai'

const { MILLRACE_URL = 'http://127.0.0.1:8787', MILLRACE_KEY } = process.env
if (!MILLRACE_KEY) throw new Error('Set MILLRACE_KEY to a key of the server; `npm start` prints one.')
const client = new GoogleGenAI({
  apiKey: MILLRACE_KEY,
  httpOptions: { baseUrl: MILLRACE_URL },
})

const stream = await client.models.generateContentStream({ model: 'replay/hello', contents: 'Hello!' })
for await (const chunk of stream) process.stdout.write(chunk.text ?? '')
