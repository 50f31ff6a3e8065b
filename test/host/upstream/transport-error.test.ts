import { createServer, type Server } from 'node:net'
import { expect, it } from 'vitest'
import { Cancellation } from '../../../src/gateway/cancellation.ts'
import { CONFIG } from '../../../src/gateway/config/config.ts'
import { transportError } from '../../../src/gateway/upstream/transport-error.ts'
import { createAgent, httpTransport } from '../../../src/host/upstream/http-transport.ts'
import { whenDone } from '../test-server.ts'

/** Starts a server that writes this text to each connection, and returns its port. */
async function startWriter(text: string): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(text, () => socket.destroySoon())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : expect.unreachable()
}

async function failureOf(url: string) {
  const agent = createAgent(CONFIG.parse({}).timeouts)
  whenDone(() => agent.destroy())
  const request = { url: new URL(url), headers: {}, body: '{}', model: 'm', stream: true }
  const answer = await httpTransport(agent)(request, new Cancellation())
  return answer.ok ? expect.unreachable() : answer.error
}

it('an upstream without TLS at an https address is reported as such', async () => {
  const port = await startWriter('HTTP/1.1 400 Bad Request\r\n\r\n')
  expect(await failureOf(`https://127.0.0.1:${port}/v1`)).toMatchObject({
    code: 'upstream_unreachable',
    message: 'No TLS connection to the upstream can be made. Check the base URL of the vendor.',
  })
})

it.each(['hello\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n'])(
  'an upstream that answers %j is reported as one without valid HTTP',
  async (text) => {
    const port = await startWriter(text)
    expect(await failureOf(`http://127.0.0.1:${port}/v1`)).toMatchObject({
      code: 'upstream_disconnected',
      message: 'The upstream response is not valid HTTP. Check the base URL of the vendor.',
    })
  },
)

it.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('a certificate that is refused with %s is named', (code) => {
  const error = Object.assign(new Error('to 10.0.0.1'), { code })
  const { code: found, message } = transportError(error)
  expect([found, message]).toEqual(['upstream_unreachable', `The certificate of the upstream is refused (${code}).`])
})
