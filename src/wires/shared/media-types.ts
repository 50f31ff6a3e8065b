import { fromBase64 } from '../../text/base64.ts'
import { lookup } from '../../text/lookup.ts'

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

/** The types of images that most vendors accept. */
export const COMMON_IMAGES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Returns the file extension of a media type. */
export const endingOf = (mimeType: string): string | undefined =>
  Object.entries(TYPES).find(([, type]) => type === mimeType)?.[0]

function extensionOf(name: string): string {
  const path = name.split(/[?#]/, 1)[0] ?? ''
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase()
}

/** Returns the media type of a file by the extension of its name or URL. */
export const mediaTypeOf = (name: string): string | undefined => lookup(TYPES, extensionOf(name))

/** Further types of files that requests have. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  text: 'text/plain',
  markdown: 'text/markdown',
  htm: 'text/html',
  xml: 'text/xml',
  yaml: 'text/yaml',
  yml: 'text/yaml',
  py: 'text/x-python',
  js: 'text/javascript',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

export const fileTypeOf = (name: string): string | undefined =>
  mediaTypeOf(name) ?? lookup(DOCUMENTS, extensionOf(name))

/** Media types of files that are text. */
const TEXTS =
  /^(?:text\/.|application\/(?:[\w.-]{0,60}[+-])?(?:json|jsonl|ndjson|xml|yaml|toml|javascript|typescript|python|sh|sql)$)/i

export interface DataUrl {
  /** In small letters. */
  readonly mediaType: string
  readonly base64: boolean
  readonly body: string
}

/** `data:image/png;base64,AAAA` */
export function parseDataUrl(url: string): DataUrl | null {
  if (!/^data:/i.test(url)) return null
  const comma = url.indexOf(',')
  if (comma < 0) return null
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  return {
    mediaType: imageType(mediaType.trim().toLowerCase()),
    base64: parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64'),
    body: url.slice(comma + 1),
  }
}

/** Some clients send `image/jpg`, which is not a media type. */
export const imageType = (mediaType: string): string => (mediaType === 'image/jpg' ? 'image/jpeg' : mediaType)

/** Returns the text of the data URL of a text file; null for any other data. */
export function fileText(url: string): string | null {
  const { mediaType = '', base64, body = '' } = parseDataUrl(url) ?? {}
  if (!TEXTS.test(mediaType)) return null
  try {
    return base64 === true ? fromBase64(body) : decodeURIComponent(body)
  } catch {
    return null
  }
}
