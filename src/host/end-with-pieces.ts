import type { ServerResponse } from 'node:http'
import { nextTurn, SLICE_MS } from './in-turns.ts'

/**
 * Writes the pieces, each after the client has taken the ones before it, and ends the answer. Other requests run in
 * between. Resolves when all pieces are written or the client has left.
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
