import { hmac } from '@noble/hashes/hmac'
import { sha1 } from '@noble/hashes/legacy'
import { sha256 } from '@noble/hashes/sha2'
import type { Hashes, Hashing } from '../gateway/hashes.ts'
import { toHex } from '../text/bytes.ts'

type Chunk = string | ArrayBuffer | ArrayBufferView

const encoder = new TextEncoder()

function bytesOf(chunk: Chunk): Uint8Array {
  if (typeof chunk === 'string') return encoder.encode(chunk)
  return chunk instanceof ArrayBuffer
    ? new Uint8Array(chunk)
    : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

class PortableSha256 implements Hashing {
  private readonly hash: { update(bytes: Uint8Array): unknown; digest(): Uint8Array }
  constructor(secret?: Chunk) {
    this.hash = secret === undefined ? sha256.create() : hmac.create(sha256, bytesOf(secret))
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

/** Hash functions without a platform: the ones of the Web Crypto API return promises only. */
export const PORTABLE_HASHES: Hashes = {
  sha1,
  sha256: (input) => sha256(bytesOf(input)),
  hmac(secret, ...texts) {
    const hash = hmac.create(sha256, bytesOf(secret))
    for (const text of texts) hash.update(encoder.encode(text))
    return toHex(hash.digest())
  },
  Sha256: PortableSha256,
}
