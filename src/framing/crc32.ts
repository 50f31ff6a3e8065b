/** The polynomial of zip, PNG and Ethernet, its bits reversed. */
const POLYNOMIAL = 0xedb88320

/** What each byte does to a checksum: eight steps of the division by the polynomial at once. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit += 1) rest = (rest & 1) === 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1
  return rest
})

/** CRC-32 of some bytes, 0 to 2³²-1. `before`: that of the bytes before them, where there are any. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let rest = ~before
  for (let at = 0; at < bytes.length; at += 1) {
    rest = (TABLE[(rest ^ (bytes[at] as number)) & 0xff] as number) ^ (rest >>> 8)
  }
  return ~rest >>> 0
}
