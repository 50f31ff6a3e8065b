import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'

type Chunk = string | ArrayBuffer | ArrayBufferView

/** Converts a chunk to bytes that Node's hashes accept. */
const bytesOf = (chunk: Chunk): string | Uint8Array => {
  if (typeof chunk === 'string') return chunk
  return chunk instanceof ArrayBuffer
    ? new Uint8Array(chunk)
    : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

/** SHA-256, or HMAC-SHA-256 with a secret, with the interface that `@smithy/signature-v4` requires. */
export class Sha256 {
  private readonly hash: Hash | Hmac
  constructor(secret?: Chunk) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
  }
  update(chunk: Chunk): void {
    this.hash.update(bytesOf(chunk))
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.hash.digest())
  }
  reset(): void {
    throw new Error('A hash is used once.')
  }
}
