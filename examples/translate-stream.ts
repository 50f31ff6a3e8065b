// Prints the answer of a chat completions upstream as a Responses stream.
import { translateStream } from 'millrace'

const upstream = await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: `Bearer ${process.env.OPENAI_API_KEY}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello!' }], stream: true }),
})
const stream = translateStream(upstream, { from: 'openai-chat', vendor: 'openai-chat' })
for await (const bytes of stream) process.stdout.write(bytes)

const { ending, usage, losses, error, remedy } = await stream.outcome
console.error(ending, usage?.total_tokens, losses, error?.message ?? '', remedy ?? '')
