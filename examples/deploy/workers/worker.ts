// The gateway as a Worker. Limits of requests need a store that all Workers share: see `rateStore`.
import { createGateway, type FetchGateway } from 'millrace/fetch'

let gateway: FetchGateway | undefined

export default {
  /** The environment exists with the first request only. */
  fetch(request: Request, env: Readonly<Record<string, string>>): Promise<Response> {
    gateway ??= createGateway(
      {
        keys: [{ name: 'app', sha256: env.CLIENT_KEY_SHA256 ?? '' }],
        vendors: { openai: { key: { env: 'OPENAI_API_KEY' } } },
        encrypted_content_secret: { env: 'ENCRYPTED_CONTENT_SECRET' },
      },
      { env, log: (line) => console.log(JSON.stringify(line)) },
    )
    return gateway.fetch(request)
  },
}
