import type { Reader } from './source.ts'

/**
 * The HTTP parser gives every chunk of a read by itself: gathered to the end of the tick they cost one translation and
 * one write. What the reader throws is our own bug; it ends this answer and no other.
 */
export function gather(reader: Reader, onBug: (error: unknown) => void): Reader {
  let waiting: Uint8Array[] = []
  let broken = false

  const guard = (act: () => void): void => {
    if (broken) return
    try {
      act()
    } catch (error) {
      broken = true
      onBug(error)
    }
  }
  const flush = (): void => {
    if (waiting.length === 0) return
    const chunks = waiting
    waiting = []
    guard(() => reader.bytes(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)))
  }
  return {
    bytes(chunk) {
      if (waiting.push(chunk) === 1) process.nextTick(flush)
    },
    end() {
      flush()
      guard(() => reader.end())
    },
    fail(error) {
      flush()
      guard(() => reader.fail(error))
    },
  }
}
