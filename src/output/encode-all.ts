import { writeUtf8 } from './output-buffer.ts'

const encoder = new TextEncoder()

/**
 * The UTF-8 of each text. ASCII texts are encoded in one call, because a call takes longer than a short text: they share
 * memory that is larger than all of them, so that what is kept must be copied.
 */
export function encodeAll(texts: readonly string[]): readonly Uint8Array[] {
  const all = texts.join('')
  const bytes = new Uint8Array(3 * all.length)
  if (writeUtf8(bytes, all, 0) !== all.length) return texts.map((text) => encoder.encode(text))
  let end = 0
  return texts.map(({ length }) => {
    end += length
    return bytes.subarray(end - length, end)
  })
}
