import type { ServerResponse } from 'node:http'
import { nextTurn, SLICE_MS } from './in-turns.ts'

/**
 * Writes the pieces, each when the client has taken those before it, and ends the answer. Others have their turn in between.
 * Resolves when all is written or the client has gone.
 */
export async function endWithPieces(response: ServerResponse, pieces: Iterable<Uint8Array>): Promise<void> {
  let startedAt = performance.now()
  for (const piece of pieces) {
    if (!response.write(piece)) await drained(response)
    if (response.destroyed) return
    if (performance.now() - startedAt < SLICE_MS) continue
    await nextTurn()
    startedAt = performance.now()
  }
  response.end()
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const goOn = (): void => {
      response.off('drain', goOn)
      response.off('close', goOn)
      resolve()
    }
    response.on('drain', goOn)
    response.on('close', goOn)
  })
