import type { InputPart } from '../../../protocol/request.ts'
import { mediaTypeOf } from '../media-types.ts'

/** The data or the address of an image, a file or a sound, or the reason why Google cannot take it. */
export type Media =
  | { readonly data: string; readonly mimeType: string }
  | { readonly uri: string; readonly mimeType: string | undefined }
  | { readonly loss: string }

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
const linked = (uri: string, filename = ''): Media => ({ uri, mimeType: mediaTypeOf(uri) ?? mediaTypeOf(filename) })

const FILES = 'https://generativelanguage.googleapis.com/v1beta/'

function fileOf(file: Extract<InputPart, { readonly type: 'input_file' }>): Media {
  const { filename, file_data, file_url, file_id } = file
  if (file_data !== null) return embedded(file_data, mediaTypeOf(filename ?? '') ?? 'application/pdf')
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
