import { Agent } from 'undici'
import { listen } from './listen.ts'

/**
 * node:http and undici's dispatcher. The relay writes every chunk when it arrives, and a slow client pauses the
 * upstream.
 */
export function openRelay(origin: string): Promise<string> {
  const own = new Agent({ pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  return listen((incoming, response) => {
    const pieces: Buffer[] = []
    incoming.on('data', (bytes: Buffer) => void pieces.push(bytes))
    incoming.on('end', () => {
      const headers = { 'content-type': 'application/json', authorization: incoming.headers.authorization ?? '' }
      own.dispatch(
        { origin, path: incoming.url ?? '', method: 'POST', headers, body: Buffer.concat(pieces) },
        {
          onRequestStart(controller) {
            response.on('close', () => {
              if (!response.writableFinished) controller.abort(new Error('gone'))
            })
            response.on('drain', () => controller.resume())
          },
          onResponseStart(_, status, heads) {
            response.writeHead(status, { 'content-type': String(heads['content-type']) })
          },
          onResponseData(controller, bytes) {
            if (!response.write(bytes)) controller.pause()
          },
          onResponseEnd() {
            response.end()
          },
          onResponseError() {
            response.destroy()
          },
        },
      )
    })
  })
}
