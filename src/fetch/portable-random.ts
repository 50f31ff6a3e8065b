import { toHex } from '../text/bytes.ts'

/** Bytes of one id. */
const SIZE = 24

/** Reading a few random bytes costs as much as reading many. */
const IDS = 32

/**
 * Returns a function that creates random, independent texts of 48 hexadecimal digits. The first random bytes are read at
 * its first call, because some platforms have none before the first request.
 */
export function createPortableRandom(): () => string {
  const pool = new Uint8Array(SIZE * IDS)
  let at = pool.length
  return () => {
    if (at === pool.length) {
      crypto.getRandomValues(pool)
      at = 0
    }
    at += SIZE
    return toHex(pool.subarray(at - SIZE, at))
  }
}
