import { concatenated } from '../text/bytes.ts'

/** The reason why a parameter of an address cannot be unpacked. */
export class UnpackError extends Error {
  readonly reason: 'damaged' | 'too large'

  constructor(reason: 'damaged' | 'too large') {
    super(reason)
    this.reason = reason
  }
}

/** The largest number of arguments of one call, which some browsers limit. */
const PIECE = 4_096

/** Returns the bytes as a parameter of an address: deflated (RFC 1951), then base64url (RFC 4648, 5). */
export async function packBytes(bytes: Uint8Array): Promise<string> {
  const packed = await readAll(through(bytes, new CompressionStream('deflate-raw')), Number.POSITIVE_INFINITY)
  let text = ''
  for (let at = 0; at < packed.length; at += PIECE) text += String.fromCharCode(...packed.subarray(at, at + PIECE))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Rejects with an UnpackError. A short text can stand for any number of bytes; `most` limits them. */
export async function unpackBytes(text: string, most: number): Promise<Uint8Array<ArrayBuffer>> {
  return readAll(through(fromBase64(text), new DecompressionStream('deflate-raw')), most)
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (unit) => unit.charCodeAt(0))
  } catch {
    throw new UnpackError('damaged')
  }
}

const through = (bytes: Uint8Array, transform: GenericTransformStream): ReadableStream<Uint8Array> =>
  new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(transform)

async function readAll(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (let next = await read(reader); !next.done; next = await read(reader)) {
    pieces.push(next.value)
    size += next.value.length
    if (size <= most) continue
    await reader.cancel()
    throw new UnpackError('too large')
  }
  return concatenated(pieces)
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read()
  } catch {
    throw new UnpackError('damaged')
  }
}
