import { randomFillSync } from 'node:crypto'

/** Bytes of one id. */
const SIZE = 24

/** To ask the system for a few bytes costs as much as for many. */
const IDS = 128

/** Random hexadecimal words of 48 digits, none of which can be told from the others. */
export function openRandom(): () => string {
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
