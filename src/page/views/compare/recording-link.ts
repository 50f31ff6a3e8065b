/** The largest recording that a link carries, in characters of the link: some programs cut longer addresses. */
export const LONGEST_LINK = 64 * 1024

/** The largest recording that a link may contain, in bytes: a few bytes of a link can stand for any number. */
export const LARGEST_RECORDING = 16 * 1024 * 1024

/** Returns the bytes compressed (deflate, RFC 1951) and as text that an address may contain (base64url). */
export async function encodeRecording(bytes: Uint8Array): Promise<string> {
  const packed = await readAll(through(bytes, new CompressionStream('deflate-raw')), Number.POSITIVE_INFINITY)
  let text = ''
  for (let at = 0; at < packed.length; at += PIECE) text += String.fromCharCode(...packed.subarray(at, at + PIECE))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

const PIECE = 4_096

/** Rejects with an Error that has a message for the user if the text is damaged or stands for too many bytes. */
export async function decodeRecording(text: string): Promise<Uint8Array> {
  let packed: Uint8Array<ArrayBuffer>
  try {
    packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (unit) => unit.charCodeAt(0))
  } catch {
    throw new Error(DAMAGED)
  }
  return readAll(through(packed, new DecompressionStream('deflate-raw')), LARGEST_RECORDING)
}

const DAMAGED = 'The recording in this link is damaged: the link may have been cut. Copy it again.'
const TOO_LARGE = `The recording in this link has more than ${LARGEST_RECORDING >> 20} MiB. Drop its file here instead.`

const through = (bytes: Uint8Array, transform: GenericTransformStream): ReadableStream<Uint8Array> =>
  new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(transform)

async function readAll(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (let next = await read(reader); !next.done; next = await read(reader)) {
    pieces.push(next.value)
    size += next.value.length
    if (size <= most) continue
    await reader.cancel()
    throw new Error(TOO_LARGE)
  }
  const all = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read()
  } catch {
    throw new Error(DAMAGED)
  }
}
