/** The polynomial of zip, PNG and Ethernet, its bits reversed. */
const POLYNOMIAL = 0xedb88320

/** What each byte does to a checksum: eight steps of the division by the polynomial at once. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit += 1) rest = (rest & 1) === 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1
  return rest
})

/** The same for a byte that this many others follow. */
const after = (table: Int32Array): Int32Array => table.map((rest) => (TABLE[rest & 0xff] as number) ^ (rest >>> 8))

const TABLE_1 = after(TABLE)
const TABLE_2 = after(TABLE_1)
const TABLE_3 = after(TABLE_2)

/** CRC-32 of the bytes before `end`, 0 to 2³²-1. Four bytes a step: their divisions do not wait for each other. */
export function crc32(bytes: Uint8Array, end = bytes.length, start = 0): number {
  let rest = -1
  let at = start
  for (; at + 4 <= end; at += 4) {
    rest =
      (TABLE_3[(rest ^ (bytes[at] as number)) & 0xff] as number) ^
      (TABLE_2[((rest >>> 8) ^ (bytes[at + 1] as number)) & 0xff] as number) ^
      (TABLE_1[((rest >>> 16) ^ (bytes[at + 2] as number)) & 0xff] as number) ^
      (TABLE[(rest >>> 24) ^ (bytes[at + 3] as number)] as number)
  }
  for (; at < end; at += 1) rest = (TABLE[(rest ^ (bytes[at] as number)) & 0xff] as number) ^ (rest >>> 8)
  return ~rest >>> 0
}
