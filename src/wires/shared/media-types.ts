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

/** Returns the media type of a file by the extension of its name or URL. */
export function mediaTypeOf(name: string): string | undefined {
  const path = name.split(/[?#]/, 1)[0] ?? ''
  return lookup(TYPES, path.slice(path.lastIndexOf('.') + 1).toLowerCase())
}
