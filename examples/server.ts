// Starts the gateway in this process, sends one request, and stops it.
import { createHash } from 'node:crypto'
import { startServer } from 'millrace/server'

const key = 'a-key-of-your-choice'
const sha256 = createHash('sha256').update(key).digest('hex')
const server = await startServer(
  // The answer is a recording, whether or not a vendor has a key.
  { listen: { port: 0 }, keys: [{ name: 'app', sha256 }], recordings: true },
  { env: process.env, log: (line) => console.error(JSON.stringify(line)) },
)

const answer = await fetch(`${server.url}/v1/responses`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'replay/hello', input: 'Hello!' }),
})
const response = await answer.json()
console.log(response.status, response.output[0].content[0].text)
await server.close()
