// The whole gateway as one function from Request to Response, for Workers, Deno, Bun and Node.
import { createGateway } from 'millrace/fetch'

const gateway = createGateway(
  {
    // The SHA-256 of the key that clients send; `millrace key` prints one.
    keys: [{ name: 'app', sha256: process.env.CLIENT_KEY_SHA256 ?? '' }],
    models: [{ match: 'small', to: ['groq/llama-3.3-70b-versatile', 'mistral/mistral-small-latest'] }],
  },
  { env: process.env, log: (line) => console.error(JSON.stringify(line)) },
)

export default gateway
