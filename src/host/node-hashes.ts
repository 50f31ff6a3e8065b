import { createHash, createHmac, type Hash, type Hmac, hash } from 'node:crypto'
import type { Hashes, Hashing } from '../gateway/hashes.ts'

type Chunk = string | ArrayBuffer | ArrayBufferView

/** Converts a chunk to bytes that Node's hashes accept. */
const bytesOf = (chunk: Chunk): string | Uint8Array => {
  if (typeof chunk === 'string') return chunk
  return chunk instanceof ArrayBuffer
    ? new Uint8Array(chunk)
    : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

class NodeSha256 implements Hashing {
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

/** The hash functions of `node:crypto`. */
export const NODE_HASHES: Hashes = {
  sha1: (bytes) => hash('sha1', bytes, 'buffer'),
  // As text, because `hash` would allocate memory outside of the heap for the bytes.
  sha256: (input) => Buffer.from(hash('sha256', input, 'binary'), 'binary'),
  hmac(secret, ...texts) {
    const hmac = createHmac('sha256', secret)
    for (const text of texts) hmac.update(text)
    return hmac.digest('hex')
  },
  Sha256: NodeSha256,
}
