import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { withBody } from '../mock-upstreams/server.ts'
import { json, lineOf, post, REQUEST, startGateway, startTestServer, UPSTREAM_KEY } from './test-server.ts'

const REFUSED = '{"error":{"message":"Invalid API Key","type":"invalid_request_error","code":"invalid_api_key"}}'

const messageOf = async (response: Response): Promise<string> => (await json(response)).error.message

describe('a request on the first day', () => {
  it('for a vendor without a key names the variable', async () => {
    const { url } = await startGateway({})
    const response = await post(url, { ...REQUEST, model: 'groq/llama-3.3-70b-versatile' })
    expect(response.status).toBe(404)
    expect(await messageOf(response)).toBe('The vendor "groq" has no key. Set the environment variable GROQ_API_KEY.')
  })

  it.each([true, false])(
    'with a key that the vendor refuses names the option that holds it, streamed: %s',
    async (stream) => {
      const { url, lines } = await startTestServer(withBody(REFUSED, 401))
      const response = await post(url, { ...REQUEST, stream })
      expect(response.status).toBe(502)
      const message = await messageOf(response)
      expect(message).toBe("Invalid API Key. Check the server's key for the vendor acme: vendors.acme.key.")
      expect(message).not.toContain(UPSTREAM_KEY)
      expect(await lineOf(lines)).toMatchObject({ error: 'upstream_authentication', party: 'upstream' })
    },
  )

  it('to an upstream that needs a key which the configuration does not have says so', async () => {
    const first = await startTestServer(withBody(REFUSED, 401))
    const acme = { wire: 'openai-chat', base_url: first.upstream.url }
    const groq = { base_url: first.upstream.url }
    const { url } = await startGateway({ vendors: { acme, groq } }, { env: { GROQ_API_KEY: 'for-groq-only' } })
    const remedy = (name: string) => `The server has no key for the vendor ${name}. Set vendors.${name}.key.`
    expect(await messageOf(await post(url))).toBe(`Invalid API Key. ${remedy('acme')}`)
    expect(await messageOf(await post(url, { ...REQUEST, model: 'groq/m' }))).toBe(`Invalid API Key. ${remedy('groq')}`)
    expect(first.upstream.received[0]?.headers.authorization).toBeUndefined()
  })

  it('to an upstream whose credentials are headers of the configuration asks for no key', async () => {
    const first = await startTestServer(withBody(REFUSED, 401))
    const headers = { authorization: 'Basic credentials-of-nobody' }
    const acme = { wire: 'openai-chat', base_url: first.upstream.url, headers }
    const { url } = await startGateway({ vendors: { acme } })
    expect(await messageOf(await post(url))).toBe('Invalid API Key')
  })

  it('to an upstream that cannot be reached names the vendor, and no part of its URL', async () => {
    const closed = createServer()
    const port = await new Promise<number>((resolve) =>
      closed.listen(0, '127.0.0.1', () => resolve((closed.address() as { readonly port: number }).port)),
    )
    await new Promise((resolve) => closed.close(resolve))
    const acme = { wire: 'openai-chat', base_url: `http://127.0.0.1:${port}/secret-of-the-path` }
    const { url } = await startGateway({ vendors: { acme }, retry: { attempts: 1 } })
    const response = await post(url)
    expect(response.status).toBe(502)
    expect(await messageOf(response)).toBe(
      'The upstream refuses connections (vendor acme). Check the base URL of the vendor.',
    )
  })
})
