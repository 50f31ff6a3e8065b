interface PackedFormat {
  /** The bytes at the offset, in hexadecimal notation. */
  readonly magic: string
  readonly offset?: number
  readonly what: string
}

const compressed = (name: string): string =>
  `is compressed with ${name}. Decompress it first; curl --compressed records decoded bytes.`
const archive = (name: string): string => `is a ${name} archive. Unpack it first, and use one of its files.`

/** The signatures of the formats' specifications. Brotli has none. */
const FORMATS: readonly PackedFormat[] = [
  { magic: '1f8b', what: compressed('gzip') },
  { magic: '28b52ffd', what: compressed('zstd') },
  { magic: '425a68', what: compressed('bzip2') },
  { magic: 'fd377a585a00', what: compressed('xz') },
  { magic: '04224d18', what: compressed('lz4') },
  { magic: '789c', what: compressed('deflate') },
  { magic: '78da', what: compressed('deflate') },
  { magic: '504b0304', what: archive('ZIP') },
  { magic: '504b0506', what: archive('ZIP') },
  { magic: '377abcaf271c', what: archive('7z') },
  { magic: '52617221', what: archive('RAR') },
  { magic: '757374617200', offset: 257, what: archive('tar') },
  { magic: '7573746172202000', offset: 257, what: archive('tar') },
]

/** Names the format of compressed bytes or an archive, as the rest of a sentence with the remedy; null for other bytes. */
export function describePacked(bytes: Uint8Array): string | null {
  const found = FORMATS.find(({ magic, offset = 0 }) => {
    const size = magic.length / 2
    const start = Array.from(bytes.subarray(offset, offset + size), (byte) => byte.toString(16).padStart(2, '0'))
    return start.join('') === magic
  })
  return found?.what ?? null
}
