/** Serves a function from `Request` to `Response` with `node:http`. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export async function serveWithNode(hostname, answer) {
  const server = createServer(async (incoming, outgoing) => {
    const leaving = new AbortController()
    outgoing.once('close', () => leaving.abort())
    const { method, headers, url } = incoming
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const request = new Request(`http://${headers.host}${url}`, {
      method,
      headers,
      signal: leaving.signal,
      ...(hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}),
    })
    const response = await answer(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    if (response.body === null) outgoing.end()
    // A client that leaves ends the pipeline with an error.
    else await pipeline(Readable.fromWeb(response.body), outgoing).catch(() => undefined)
  })
  server.listen(0, hostname)
  await once(server, 'listening')
  return server.address()
}
