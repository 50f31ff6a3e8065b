/** The polynomial of zip, PNG and Ethernet, its bits reversed. */
const POLYNOMIAL = 0xedb88320

/** What each byte does to a checksum: eight steps of the division by the polynomial at once. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit += 1) rest = (rest & 1) === 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1
  return rest
})

/** CRC-32 of the bytes before `end`, 0 to 2³²-1. */
export function crc32(bytes: Uint8Array, end = bytes.length): number {
  let rest = -1
  for (let at = 0; at < end; at += 1) {
    rest = (TABLE[(rest ^ (bytes[at] as number)) & 0xff] as number) ^ (rest >>> 8)
  }
  return ~rest >>> 0
}
