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

const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/

/** The client's own id if it is safe in headers and logs, else a new id. */
export const toRequestId = (given: string | string[] | undefined, random: () => string): string =>
  typeof given === 'string' && REQUEST_ID.test(given) ? given : `req_${random().slice(0, 24)}`
