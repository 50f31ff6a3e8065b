// Prints the answer of a chat completions upstream as a Responses stream.
import { DIALECTS, EMPTY_ECHO, translateResponse, WIRES } from 'millrace'

const upstream = await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: `Bearer ${process.env.OPENAI_API_KEY}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello!' }], stream: true }),
})
const head = {
  id: `resp_${crypto.randomUUID()}`,
  created_at: Math.floor(Date.now() / 1000),
  model: 'gpt-5-mini',
  echo: EMPTY_ECHO,
}
const options = { wire: WIRES['openai-chat'], dialect: DIALECTS.openai, head }
for await (const bytes of translateResponse(upstream, options)) process.stdout.write(bytes)
