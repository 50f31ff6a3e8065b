import type { IncomingMessage, ServerResponse } from 'node:http'

const FIRST_MS = 20
const LAST_MS = 15_000

/** How long the answer to a half-closed client may take if no probe can be written before it. */
const GRACE_MS = 100

const COMMENT = ': probe\n\n'

/** White space between two JSON texts, or two elements of an array, is insignificant (RFC 8259, 2). */
const SPACE = ' '

export interface PeerWatch {
  /**
   * Called when other requests wait behind this one. The connection may then be paused, which hides that the client
   * left.
   */
  onBlocked(): void
}

/**
 * A half-closed socket (FIN received) may belong to a client that left or to one that still reads. Only a write shows
 * which: the system of a client that left answers with RST. Probes are therefore written at growing intervals: `102
 * Processing` before the head, a comment or white space after it. The same holds for a connection that is not read.
 * `leave` is called if no probe can be written: before the head, over HTTP/1.0.
 */
export function watchPeer(
  { socket, httpVersion }: IncomingMessage,
  response: ServerResponse,
  leave: () => void,
): PeerWatch {
  let timer: NodeJS.Timeout | undefined
  const canProbe = (): boolean => response.headersSent || httpVersion === '1.1'

  const probe = (wait: number): void => {
    timer = setTimeout(() => probe(Math.min(wait * 2, LAST_MS)), wait)
    if (!socket.readableEnded && !socket.isPaused()) return
    if (response.headersSent) writeNothing(response)
    else if (canProbe()) response.writeProcessing()
  }
  const start = (): void => {
    clearTimeout(timer)
    probe(FIRST_MS)
  }
  const onEnd = (): void => {
    start()
    if (!canProbe()) setTimeout(() => canProbe() || response.destroyed || leave(), GRACE_MS)
  }

  if (socket.readableEnded) onEnd()
  else if (!socket.destroyed) socket.on('end', onEnd)
  response.on('close', () => {
    clearTimeout(timer)
    socket.off('end', onEnd)
  })
  return { onBlocked: start }
}

/** Writes only into an open stream whose client is not behind. */
function writeNothing(response: ServerResponse): void {
  if (response.writableEnded || response.writableNeedDrain || response.hasHeader('content-length')) return
  const isEvents = String(response.getHeader('content-type')).startsWith('text/event-stream')
  response.write(isEvents ? COMMENT : SPACE)
}
