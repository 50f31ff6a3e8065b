const SMALLEST = 64 * 1024
const LARGEST = 4 * 1024 * 1024

/**
 * Collects bytes. Chunks are copied into a few large blocks, so that the memory of a body depends on its bytes and not
 * on the size of its chunks: a Buffer of one byte takes over a hundred. A body of one chunk is kept as that chunk.
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
    // Each block is as large as all blocks before it together: there are few blocks, and at most half of their memory
    // is empty.
    this.block = new Uint8Array(Math.min(Math.max(this.size, SMALLEST), LARGEST))
    this.filled = 0
    this.blocks.push(this.block)
  }

  /** Returns all bytes in order, and keeps none. */
  take(): Uint8Array[] {
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
