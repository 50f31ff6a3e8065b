/**
 * The interim response that undici takes for the end of its connection. The gateway sends no `Expect`, so no request
 * waits for it.
 */
const CONTINUE = 'HTTP/1.1 100'
/** The prefix that identifies an interim response of any HTTP/1 version. */
const INTERIM = /^HTTP\/1\.[01] 1\d\d/
const HEAD = CONTINUE.length

/** Longer interim responses are passed to undici, which has a limit of its own. */
const LONGEST = 16 * 1024

const NONE = Buffer.alloc(0)

/**
 * Removes `100 Continue` from the bytes before one answer. An upstream may send it without an `Expect`, and a client must
 * ignore it (RFC 9110, 15.2); undici breaks the connection instead.
 */
export class InterimFilter {
  /** The head of the answer has begun. */
  isDone = false
  private held: Buffer = NONE

  /** Returns what is left of the first chunks of an answer. */
  pass(chunk: Buffer): Buffer {
    const { passed, rest } = splitInterim(this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]))
    this.held = rest ?? NONE
    this.isDone = rest === null
    return passed
  }
}

/**
 * Removes `100 Continue` from the bytes. `rest`: an incomplete interim response; null when the head of the answer has
 * begun.
 */
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
