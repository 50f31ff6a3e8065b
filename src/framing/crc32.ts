/** The polynomial of zip, PNG and Ethernet, with its bits reversed. */
const POLYNOMIAL = 0xedb88320

/** The effect of one byte on a checksum: eight steps of the division by the polynomial at once. */
function divided(byte: number): number {
  let rest = byte
  for (let bit = 0; bit < 8; bit += 1) rest = (rest & 1) === 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1
  return rest
}

/** Checksums of each byte; each further block of 256 entries is for a byte that one more byte follows, up to seven. */
const TABLE = new Int32Array(8 * 256)
for (let byte = 0; byte < 256; byte += 1) {
  TABLE[byte] = divided(byte)
  for (let at = byte + 256; at < TABLE.length; at += 256) {
    const rest = TABLE[at - 256] as number
    TABLE[at] = divided(rest & 0xff) ^ (rest >>> 8)
  }
}

/** The checksum before the first byte, for `addCrc32`. */
export const CRC32_START = -1

/** The finished checksum, 0 to 2³²-1. */
export const toCrc32 = (sum: number): number => ~sum >>> 0

/** Adds the bytes from `start` to `end`, eight in each step, because their divisions do not depend on each other. */
export function addCrc32(sum: number, bytes: Uint8Array, start: number, end: number): number {
  let rest = sum
  let at = start
  for (; at + 8 <= end; at += 8) {
    rest =
      (TABLE[1792 | ((rest ^ (bytes[at] as number)) & 0xff)] as number) ^
      (TABLE[1536 | (((rest >>> 8) ^ (bytes[at + 1] as number)) & 0xff)] as number) ^
      (TABLE[1280 | (((rest >>> 16) ^ (bytes[at + 2] as number)) & 0xff)] as number) ^
      (TABLE[1024 | ((rest >>> 24) ^ (bytes[at + 3] as number))] as number) ^
      (TABLE[768 | (bytes[at + 4] as number)] as number) ^
      (TABLE[512 | (bytes[at + 5] as number)] as number) ^
      (TABLE[256 | (bytes[at + 6] as number)] as number) ^
      (TABLE[bytes[at + 7] as number] as number)
  }
  for (; at < end; at += 1) rest = (TABLE[(rest ^ (bytes[at] as number)) & 0xff] as number) ^ (rest >>> 8)
  return rest
}

/** CRC-32 of the bytes before `end`, 0 to 2³²-1. */
export const crc32 = (bytes: Uint8Array, end = bytes.length): number => toCrc32(addCrc32(CRC32_START, bytes, 0, end))
