import type { IncomingMessage, ServerResponse } from 'node:http'

const FIRST_MS = 20
const LAST_MS = 15_000

const COMMENT = ': still there?\n\n'

/**
 * A client that ends its sending side has gone, or only has nothing more to say: what it was sent before shows it at the
 * next write. So it is written to, soon and then ever more seldom: an interim response, or a comment in a stream.
 */
export function watchSendingSide({ socket, httpVersion }: IncomingMessage, response: ServerResponse): void {
  let timer: NodeJS.Timeout | undefined

  const probe = (wait: number): void => {
    timer = setTimeout(() => probe(Math.min(wait * 2, LAST_MS)), wait)
    if (!response.headersSent && httpVersion === '1.1') response.writeProcessing()
    else if (response.headersSent && !response.writableEnded && isStream(response)) response.write(COMMENT)
  }
  const onEnd = (): void => probe(FIRST_MS)

  socket.on('end', onEnd)
  response.on('close', () => {
    clearTimeout(timer)
    socket.off('end', onEnd)
  })
}

const isStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type')).startsWith('text/event-stream')
