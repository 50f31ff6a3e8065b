const SMALLEST = 64 * 1024
const LARGEST = 4 * 1024 * 1024

/**
 * Bytes that are gathered. Chunks are copied into a few large blocks, so that a body costs what its bytes cost, however small
 * its chunks are: a Buffer of a single byte takes over a hundred. A body of one chunk is that chunk.
 */
export class ByteBlocks {
  private first: Uint8Array | null = null
  private readonly blocks: Uint8Array[] = []
  private block: Uint8Array = new Uint8Array(0)
  private filled = 0
  private size = 0

  add(chunk: Uint8Array): void {
    if (this.size === 0) this.first = chunk
    else {
      if (this.first !== null) this.copy(this.first)
      this.first = null
      this.copy(chunk)
    }
    this.size += chunk.length
  }

  private copy(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.filled === this.block.length) this.grow()
      const part = chunk.subarray(at, at + this.block.length - this.filled)
      this.block.set(part, this.filled)
      this.filled += part.length
      at += part.length
    }
  }

  private grow(): void {
    // As large as all of them so far: few blocks, at most half of them empty.
    this.block = Buffer.allocUnsafeSlow(Math.min(Math.max(this.size, SMALLEST), LARGEST))
    this.filled = 0
    this.blocks.push(this.block)
  }

  /** All of it, in order; nothing is kept. */
  take(): readonly Uint8Array[] {
    const { first, blocks, block, filled } = this
    const all = first === null ? blocks.map((one) => (one === block ? one.subarray(0, filled) : one)) : [first]
    this.clear()
    return all
  }

  clear(): void {
    this.first = null
    this.blocks.length = 0
    this.block = new Uint8Array(0)
    this.filled = 0
    this.size = 0
  }
}
