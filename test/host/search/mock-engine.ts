import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { keepConnections } from '../../mock-upstreams/server.ts'
import { whenDone } from '../test-server.ts'

/** One search request that the engine received. */
export interface EngineRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface MockEngine {
  readonly url: string
  readonly asked: EngineRequest[]
}

/** Opens a search engine on loopback, which is closed after the test. */
export async function startMockEngine(
  answer: (response: ServerResponse, asked: EngineRequest) => void | Promise<void>,
): Promise<MockEngine> {
  const asked: EngineRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const one: EngineRequest = { method, url, headers, body: await text(request) }
    asked.push(one)
    await answer(response, one)
  })
  keepConnections(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

export const answerJson = (response: ServerResponse, body: unknown, status = 200, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
