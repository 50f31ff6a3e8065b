/**
 * Tokens of files, whose contents are not read. Vendors count an image by its width and height (85 to 1,600 tokens), a
 * second of audio as 32, one of video as 300, a page of a document as 1,500 to 3,000.
 */
const IMAGE = 1000
const LEAST_DOCUMENT = 1500

/** Tokens for each character of base64, at usual rates of compression. */
const DOCUMENT_SHARE = 0.02
const AUDIO_SHARE = 0.001
const VIDEO_SHARE = 0.0003
const TEXT_SHARE = 0.19

/** Returns the approximate tokens of a file. `kind`: its media type, or a word of `KINDS`; `size`: characters of base64. */
export function mediaTokens(kind: string, size: number): number {
  if (kind.startsWith('audio')) return size * AUDIO_SHARE
  if (kind.startsWith('video')) return size * VIDEO_SHARE
  if (kind.startsWith('text') || kind === SEALED) return size * TEXT_SHARE
  return kind.startsWith('application') ? Math.max(LEAST_DOCUMENT, size * DOCUMENT_SHARE) : IMAGE
}

/** Encrypted content is text in base64. */
export const SEALED = 'sealed'

const KINDS: ReadonlyMap<string, string> = new Map([
  ['input_file', 'application'],
  ['file', 'application'],
  ['document', 'application'],
  ['pdf', 'application'],
  ['input_audio', 'audio'],
  ['reasoning.encrypted', SEALED],
  ['redacted_thinking', SEALED],
])

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)/

/** Returns the kind of the file that an object contains; null if the object names none. */
export function fileKindOf(value: Readonly<Record<string, unknown>>): string | null {
  const media = value.mimeType ?? value.mime_type ?? value.media_type
  if (typeof media === 'string') return media
  for (const word of [value.format, value.type]) {
    const kind = typeof word === 'string' ? KINDS.get(word) : undefined
    if (kind !== undefined) return kind
  }
  return null
}

/** Returns the media type in a data URL; null in other texts. */
export const dataUrlKind = (text: string): string | null => DATA_URL.exec(text)?.[1] ?? null
