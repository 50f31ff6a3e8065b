import type { Socket } from 'node:net'
import type { buildConnector } from 'undici/index.js'

type Connector = buildConnector.connector

/** The interim answer that undici takes for the end of its connection. It sends no `Expect`, so nothing waits for it. */
const CONTINUE = 'HTTP/1.1 100'
/** As much as tells an interim answer from any other: its version is of no matter. */
const INTERIM = /^HTTP\/1\.[01] 1\d\d/
const HEAD = CONTINUE.length

/** Longer interim answers are left to undici, which has a limit of its own. */
const LONGEST = 16 * 1024

const NONE = Buffer.alloc(0)

/**
 * Connections on which `100 Continue` is left out: an upstream may send it unasked, and a client must ignore it (RFC 9110,
 * 15.2), where undici breaks the connection.
 */
export const ignoringContinue =
  (connect: Connector): Connector =>
  (options, callback) =>
    connect(options, (...result) => {
      if (result[0] === null) leaveOutContinue(result[1])
      callback(...result)
    })

/** undici reads a connection by `read` alone. */
function leaveOutContinue(socket: Socket): void {
  const read = socket.read.bind(socket)
  let written = -1
  /** Of an answer whose head has not come; null when it has. */
  let held: Buffer | null = null

  const filter = (chunk: Buffer): Buffer => {
    // What is read first after a request was written is the head of its answer.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      held ??= NONE
    }
    if (held === null) return chunk
    const { passed, rest } = splitInterim(held.length === 0 ? chunk : Buffer.concat([held, chunk]))
    held = rest
    return passed
  }
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size)
      if (!(chunk instanceof Buffer)) return chunk
      const passed = filter(chunk)
      if (passed.length > 0) return passed
    }
  }
}

/** The bytes without `100 Continue`. `rest`: those that more must come to; null when the head of the answer has begun. */
function splitInterim(bytes: Buffer): { readonly passed: Buffer; readonly rest: Buffer | null } {
  const passed: Buffer[] = []
  let at = 0
  for (;;) {
    const start = bytes.toString('latin1', at, at + HEAD)
    const mayBeInterim = INTERIM.test(start.padEnd(HEAD, CONTINUE.slice(start.length)))
    const end = mayBeInterim ? bytes.indexOf('\r\n\r\n', at) : -1
    if (!mayBeInterim || start.endsWith(' 101') || (end < 0 && bytes.length - at > LONGEST)) {
      passed.push(bytes.subarray(at))
      return { passed: Buffer.concat(passed), rest: null }
    }
    if (end < 0) return { passed: Buffer.concat(passed), rest: bytes.subarray(at) }
    if (!start.endsWith(' 100')) passed.push(bytes.subarray(at, end + 4))
    at = end + 4
  }
}
