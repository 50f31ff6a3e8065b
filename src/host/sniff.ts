import type { Reader } from './source.ts'

/** Fields of server-sent events, or a comment; what begins otherwise is a whole body. */
const EVENTS = /^\ufeff?\s*(?:data|event|id|retry|error)?:/
const LONGEST = 256

/**
 * Whether a stream or one whole body comes. The header decides where it says "stream"; elsewhere the first bytes do,
 * because vendors label their streams with anything.
 */
export const isEventStream = (contentType: string | undefined): boolean =>
  (contentType ?? '').trim().toLowerCase().startsWith('text/event-stream')

/** Waits for the first bytes and then hands everything to the reader they ask for. */
export function byFirstBytes(events: () => Reader, body: () => Reader): Reader {
  const start: Uint8Array[] = []
  let size = 0
  let chosen: Reader | null = null
  const choose = (): Reader => {
    if (chosen !== null) return chosen
    const bytes = Buffer.concat(start)
    chosen = EVENTS.test(bytes.subarray(0, LONGEST).toString()) ? events() : body()
    if (bytes.length > 0) chosen.bytes(bytes)
    return chosen
  }
  return {
    bytes(chunk) {
      if (chosen !== null) return chosen.bytes(chunk)
      start.push(chunk)
      size += chunk.length
      if (size > LONGEST || Buffer.concat(start).toString().trim().length >= 'retry:'.length) choose()
    },
    end: () => choose().end(),
    fail: (error) => choose().fail(error),
  }
}
