import { viewOf } from '../text/bytes.ts'
import { crc32 } from './crc32.ts'

const PRELUDE = 12
const CHECKSUM = 4

/** Writes the checksums of all whole messages of an AWS event stream anew, in place, after an edit of the same length. */
export function repairChecksums(bytes: Uint8Array): void {
  const view = viewOf(bytes)
  for (let at = 0; at + PRELUDE + CHECKSUM <= bytes.length; ) {
    const size = view.getUint32(at)
    const end = at + size - CHECKSUM
    if (size < PRELUDE + CHECKSUM || at + size > bytes.length) return
    view.setUint32(at + 8, crc32(bytes.subarray(at, at + 8)))
    view.setUint32(end, crc32(bytes.subarray(at, end)))
    at += size
  }
}
