/** A text as a parameter of an address: deflated, then base64 with the alphabet for URLs (RFC 4648, 5). */
export async function packText(text: string): Promise<string> {
  const bytes = await throughStream(new TextEncoder().encode(text), new CompressionStream('deflate-raw'), Infinity)
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The text of a parameter; null if it is no packed text of at most `most` bytes. */
export async function unpackText(packed: string, most: number): Promise<string | null> {
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0))
    const text = await throughStream(bytes, new DecompressionStream('deflate-raw'), most)
    return new TextDecoder('utf-8', { fatal: true }).decode(text)
  } catch {
    return null
  }
}

/** Throws if more than `most` bytes come out: a short address can contain a very long text. */
async function throughStream(
  bytes: Uint8Array<ArrayBuffer>,
  stream: GenericTransformStream,
  most: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader: ReadableStreamDefaultReader<Uint8Array> = new Blob([bytes]).stream().pipeThrough(stream).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length
    if (length > most) throw new RangeError('too long')
    chunks.push(next.value)
  }
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
