import { randomFillSync } from 'node:crypto'

/** Bytes of one id. */
const SIZE = 24

/** Reading a few random bytes from the system costs as much as reading many. */
const IDS = 128

/** Returns a function that creates random, independent texts of 48 hexadecimal digits. */
export function createRandom(): () => string {
  const pool = Buffer.alloc(SIZE * IDS)
  let at = pool.length
  return () => {
    if (at === pool.length) {
      randomFillSync(pool)
      at = 0
    }
    at += SIZE
    return pool.toString('hex', at - SIZE, at)
  }
}
