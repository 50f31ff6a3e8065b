import { viewOf } from '../text/bytes.ts'

/** The polynomial of zip, PNG and Ethernet, with its bits reversed. */
const POLYNOMIAL = 0xedb88320

/** The effect of one byte on a checksum: eight steps of the division by the polynomial at once. */
function divided(byte: number): number {
  let rest = byte
  for (let bit = 0; bit < 8; bit += 1) rest = (rest & 1) === 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1
  return rest
}

/** Checksums of each byte; each further block of 256 entries is for a byte that one more byte follows, up to 15. */
const TABLE = new Int32Array(16 * 256)
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

/** The checksum of four bytes. `block`: the index of the table for the last of them. */
const ofWord = (word: number, block: number): number =>
  (TABLE[(block + 768) | (word & 0xff)] as number) ^
  (TABLE[(block + 512) | ((word >>> 8) & 0xff)] as number) ^
  (TABLE[(block + 256) | ((word >>> 16) & 0xff)] as number) ^
  (TABLE[block | (word >>> 24)] as number)

/** Adds the bytes from `start` to `end`, 16 in each step, because their divisions do not depend on each other. */
export function addCrc32(sum: number, view: DataView, start: number, end: number): number {
  let rest = sum
  let at = start
  for (; at + 16 <= end; at += 16) {
    rest =
      ofWord(rest ^ view.getInt32(at, true), 3072) ^
      ofWord(view.getInt32(at + 4, true), 2048) ^
      ofWord(view.getInt32(at + 8, true), 1024) ^
      ofWord(view.getInt32(at + 12, true), 0)
  }
  for (; at + 4 <= end; at += 4) rest = ofWord(rest ^ view.getInt32(at, true), 0)
  for (; at < end; at += 1) rest = (TABLE[(rest ^ view.getUint8(at)) & 0xff] as number) ^ (rest >>> 8)
  return rest
}

/** CRC-32 of the bytes before `end`, 0 to 2³²-1. */
export const crc32 = (bytes: Uint8Array, end = bytes.length): number =>
  toCrc32(addCrc32(CRC32_START, viewOf(bytes), 0, end))
