import type { InputPart } from '../../../protocol/request.ts'
import { lookup } from '../../../text/lookup.ts'

/** The data or the address of an image, a file or a sound, or the reason why Google cannot take it. */
export type Media =
  | { readonly data: string; readonly mimeType: string }
  | { readonly uri: string; readonly mimeType: string | undefined }
  | { readonly loss: string }

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
export function typeOf(name: string): string | undefined {
  const path = name.split(/[?#]/, 1)[0] ?? ''
  return lookup(TYPES, path.slice(path.lastIndexOf('.') + 1).toLowerCase())
}

const DATA = /^data:([^;,]*)(?:;[^,;]*)*?(;base64)?,/i

/** Encodes a data URL, or base64 without a prefix. */
function embedded(data: string, fallback: string): Media {
  const found = DATA.exec(data)
  if (found === null) {
    return data.startsWith('data:') ? { loss: 'its data: URL is invalid' } : { mimeType: fallback, data }
  }
  const [head, type, base64] = found
  if (base64 === undefined) return { loss: 'this upstream accepts only base64 data' }
  return { mimeType: type || fallback, data: data.slice(head.length) }
}

/**
 * Encodes a file by its URL, which Google fetches. Google's own URLs have no extension; the name gives the type then.
 */
const linked = (uri: string, filename = ''): Media => ({ uri, mimeType: typeOf(uri) ?? typeOf(filename) })

const FILES = 'https://generativelanguage.googleapis.com/v1beta/'

function fileOf(file: Extract<InputPart, { readonly type: 'input_file' }>): Media {
  const { filename, file_data, file_url, file_id } = file
  if (file_data !== null) return embedded(file_data, typeOf(filename ?? '') ?? 'application/pdf')
  if (file_url?.startsWith('data:')) return embedded(file_url, 'application/pdf')
  if (file_url !== null) return linked(file_url, filename ?? '')
  return stored(file_id)
}

/** Encodes a stored file by its name, or by its URL. */
function stored(id: string | null): Media {
  if (id?.startsWith('files/')) return linked(FILES + id)
  return id !== null && /^(?:https|gs):\/\//.test(id)
    ? linked(id)
    : { loss: 'this upstream accepts only URLs (https, gs) and names such as files/…' }
}

function imageOf({ image_url: url, file_id }: Extract<InputPart, { readonly type: 'input_image' }>): Media {
  if (url === null) return stored(file_id ?? null)
  return url.startsWith('data:') ? embedded(url, 'image/png') : linked(url)
}

export function mediaOf(part: Exclude<InputPart, { readonly type: 'input_text' }>): Media {
  switch (part.type) {
    case 'input_image':
      return imageOf(part)
    case 'input_file':
      return fileOf(part)
    case 'input_audio':
      return { data: part.data, mimeType: `audio/${part.format}` }
  }
}
