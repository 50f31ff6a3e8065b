const LONGEST = 14

/** The head of a frame, and the bytes of it that are still to come (RFC 6455, 5.2). */
export class FrameHead {
  private readonly bytes = new Uint8Array(LONGEST)
  private size = 0
  private needed = 2
  /** The bytes of the payload that have not arrived. */
  private left = 0
  /** The length of the payload; 0 until the head is complete. */
  length = 0

  /** Reads bytes of the head from `at` on, and returns the offset after them. */
  read(bytes: Uint8Array, at: number): number {
    let next = at
    while (this.size < this.needed && next < bytes.length) {
      this.bytes[this.size] = bytes[next] as number
      this.size += 1
      next += 1
      if (this.size === 2) this.needed = this.sizeOfHead()
      if (this.size === this.needed) this.begin()
    }
    return next
  }

  /** Skips bytes of the payload from `at` on, and returns the offset after them. */
  skip(bytes: Uint8Array, at: number): number {
    const to = Math.min(at + this.left, bytes.length)
    this.left -= to - at
    return to
  }

  /** Whether all bytes of the head have arrived. */
  isComplete(): boolean {
    return this.size === this.needed
  }

  /** Whether the whole frame has arrived. */
  isOver(): boolean {
    return this.isComplete() && this.left === 0
  }

  isControl(): boolean {
    return (this.first & CONTROL) !== 0
  }

  /** Whether the frame ends its message. */
  get isLast(): boolean {
    return (this.first & FIN) !== 0
  }

  get isClose(): boolean {
    return (this.first & OPCODE) === CLOSE
  }

  reset(): void {
    this.size = 0
    this.needed = 2
    this.length = 0
  }

  private get first(): number {
    return this.bytes[0] as number
  }

  private sizeOfHead(): number {
    const second = this.bytes[1] as number
    const short = second & SHORT
    return 2 + (short < LONG_16 ? 0 : short === LONG_16 ? 2 : 8) + ((second & MASKED) === 0 ? 0 : 4)
  }

  private begin(): void {
    const short = (this.bytes[1] as number) & SHORT
    const wide = short < LONG_16 ? 0 : short === LONG_16 ? 2 : 8
    let length = wide === 0 ? short : 0
    for (let at = 2; at < 2 + wide; at += 1) length = length * 256 + (this.bytes[at] as number)
    this.length = length
    this.left = length
  }
}

const FIN = 0x80
const OPCODE = 0x0f
const CONTROL = 0x08
const CLOSE = 0x08
const MASKED = 0x80
const SHORT = 0x7f
const LONG_16 = 126
