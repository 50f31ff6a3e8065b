import type { InputPart } from '../../../protocol/request.ts'
import { lookup } from '../../../text/lookup.ts'
import { PART_NAMES } from '../../shared/upstream/history-text.ts'
import type { RequestPart } from '../json.ts'

/** The encoded part, or the reason why it cannot be carried. */
export type EncodedPart = { readonly part: RequestPart } | { readonly loss: string }

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
}

/** Returns the file extension of a media type. */
export const endingOf = (mimeType: string): string | undefined =>
  Object.entries(TYPES).find(([, type]) => type === mimeType)?.[0]

/** Returns the media type of a file by the extension of its name or URL. */
function typeOf(name: string): string | undefined {
  const path = name.split(/[?#]/, 1)[0] ?? ''
  return lookup(TYPES, path.slice(path.lastIndexOf('.') + 1).toLowerCase())
}

const DATA = /^data:([^;,]*)(?:;[^,;]*)*?(;base64)?,/i

/** Encodes a data URL, or base64 without a prefix. */
function embedded(data: string, fallback: string): EncodedPart {
  const found = DATA.exec(data)
  if (found === null) {
    return data.startsWith('data:')
      ? { loss: 'its data: URL is invalid' }
      : { part: { inlineData: { mimeType: fallback, data } } }
  }
  const [head, type, base64] = found
  if (base64 === undefined) return { loss: 'this upstream accepts only base64 data' }
  return { part: { inlineData: { mimeType: type || fallback, data: data.slice(head.length) } } }
}

/**
 * Encodes a file by its URL, which Google fetches. Google's own URLs have no extension; the name gives the type then.
 */
function linked(fileUri: string, filename = ''): EncodedPart {
  const mimeType = typeOf(fileUri) ?? typeOf(filename)
  return { part: { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri } } }
}

const FILES = 'https://generativelanguage.googleapis.com/v1beta/'

function encodeFile(file: Extract<InputPart, { readonly type: 'input_file' }>): EncodedPart {
  const { filename, file_data, file_url, file_id } = file
  if (file_data !== null) return embedded(file_data, typeOf(filename ?? '') ?? 'application/pdf')
  if (file_url?.startsWith('data:')) return embedded(file_url, 'application/pdf')
  if (file_url !== null) return linked(file_url, filename ?? '')
  return stored(file_id)
}

/** Encodes a stored file by its name, or by its URL. */
function stored(id: string | null): EncodedPart {
  if (id?.startsWith('files/')) return linked(FILES + id)
  return id !== null && /^(?:https|gs):\/\//.test(id)
    ? linked(id)
    : { loss: 'this upstream accepts only URLs (https, gs) and names such as files/…' }
}

function encodeImage({ image_url: url, file_id }: Extract<InputPart, { readonly type: 'input_image' }>): EncodedPart {
  if (url === null) return stored(file_id ?? null)
  return url.startsWith('data:') ? embedded(url, 'image/png') : linked(url)
}

/** Encodes one part of a user message. */
export function encodePart(part: InputPart): EncodedPart {
  switch (part.type) {
    case 'input_text':
      return { part: { text: part.text } }
    case 'input_image':
      return encodeImage(part)
    case 'input_file':
      return encodeFile(part)
    case 'input_audio':
      return { part: { inlineData: { mimeType: `audio/${part.format}`, data: part.data } } }
  }
}

/** Creates the note that replaces a part that cannot be carried, so that the model does not guess. */
export const missingPart = (part: InputPart): RequestPart => ({
  text: `[${PART_NAMES[part.type]}: it could not be passed on]`,
})
