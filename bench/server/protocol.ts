/** The requests and answers that upstream, servers and client have in common. */

/**
 * `burst`: an answer of a few pages, in which the request is most of the cost. `torrent`: an answer so long that only
 * chunks matter.
 */
export const BURSTS = { burst: 2_000, torrent: 20_000 } as const

export type Burst = keyof typeof BURSTS

/** Streams that stay open after so many chunks, each with a text of so many bytes. */
export const HELD = { chunks: 100, everyMs: 40, textBytes: 17 } as const

export const KEY = 'bench'

export const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

/** Microseconds of a clock that all processes of a machine have in common. */
export const microseconds = (): number => Number(process.hrtime.bigint() / 1000n)
