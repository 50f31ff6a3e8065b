/** A hash of bytes in the making, with the interface that `@smithy/signature-v4` requires. */
export interface Hashing {
  update(chunk: string | ArrayBuffer | ArrayBufferView): void
  digest(): Promise<Uint8Array>
  reset(): void
}

/** The hash functions of a platform. All but `Sha256` return at once, because every request needs one. */
export interface Hashes {
  readonly sha1: (bytes: Uint8Array) => Uint8Array
  readonly sha256: (input: string | Uint8Array) => Uint8Array
  /** Returns the HMAC-SHA-256 of the texts, one after another, in hexadecimal digits. */
  readonly hmac: (secret: string | Uint8Array, ...texts: readonly string[]) => string
  /** SHA-256, or HMAC-SHA-256 with a secret. */
  readonly Sha256: new (
    secret?: string | ArrayBuffer | ArrayBufferView,
  ) => Hashing
}
