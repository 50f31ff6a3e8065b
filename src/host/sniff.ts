import type { Framing } from '../framing/table.ts'
import type { Reader } from './source.ts'

const LONGEST = 256

/** Enough to tell a stream from a body. */
const SHORTEST = 'retry:'.length

const mediaTypeOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/**
 * Whether a stream or one whole body comes. The header decides where it says "stream"; elsewhere the first bytes do,
 * because vendors label their streams with anything.
 */
export const isStream = (contentType: string | undefined, { mediaTypes }: Framing): boolean =>
  mediaTypes.includes(mediaTypeOf(contentType))

/** Waits for the first bytes and then hands everything to the reader they ask for. */
export function byFirstBytes({ looksLike }: Framing, events: () => Reader, body: () => Reader): Reader {
  const start: Uint8Array[] = []
  let size = 0
  let chosen: Reader | null = null
  const choose = (): Reader => {
    if (chosen !== null) return chosen
    const bytes = Buffer.concat(start)
    chosen = looksLike.test(bytes.subarray(0, LONGEST).toString()) ? events() : body()
    if (bytes.length > 0) chosen.bytes(bytes)
    return chosen
  }
  return {
    bytes(chunk) {
      if (chosen !== null) return chosen.bytes(chunk)
      start.push(chunk)
      size += chunk.length
      if (size > LONGEST || Buffer.concat(start).toString().trim().length >= SHORTEST) choose()
    },
    end: () => choose().end(),
    fail: (error) => choose().fail(error),
  }
}
