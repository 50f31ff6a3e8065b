import type { Json, JsonObject } from '../protocol/json.ts'
import { bytesToBase64 } from '../text/base64.ts'
import type { GivenFile, GivenResultPart } from './contract.ts'

/** A file that cannot be sent: the reason. */
export interface UnsentFile {
  readonly why: string
}

interface File {
  readonly data: GivenFile
  readonly mediaType: string
  readonly filename?: string | undefined
}

type Source =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'id'; readonly id: string }

/** A file of either version → where its bytes are; undefined if another provider has them. */
function sourceOf(data: GivenFile, providers: readonly string[]): Source | undefined {
  if (data instanceof Uint8Array) return { kind: 'base64', data: bytesToBase64(data) }
  if (data instanceof URL) return { kind: 'url', url: data.href }
  if (typeof data === 'string')
    return /^(?:https?:|data:)/i.test(data) ? { kind: 'url', url: data } : { kind: 'base64', data }
  switch (data.type) {
    case 'data':
      return sourceOf(data.data, providers)
    case 'url':
      return { kind: 'url', url: String(data.url) }
    case 'text':
      return { kind: 'text', text: data.text }
    default: {
      const name = providers.find((provider) => Object.hasOwn(data.reference, provider))
      return name === undefined ? undefined : { kind: 'id', id: data.reference[name] ?? '' }
    }
  }
}

/** The first bytes of images in base64, for files whose type is only known to be an image. */
const IMAGES: readonly (readonly [beginning: string, mediaType: string])[] = [
  ['iVBORw', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

const typeOf = (mediaType: string, data: string): string =>
  mediaType.startsWith('image') && !/^image\/[^*]/.test(mediaType)
    ? (IMAGES.find(([beginning]) => data.startsWith(beginning))?.[1] ?? 'image/png')
    : mediaType

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
}

/** A file → a part of the input. `providers`: the names under which a reference to a stored file may be given. */
export function toFilePart({ data, mediaType, filename }: File, providers: readonly string[]): JsonObject | UnsentFile {
  const source = sourceOf(data, providers)
  if (source === undefined) return { why: 'the file is stored by another provider' }
  if (source.kind === 'text') return { type: 'input_text', text: source.text }
  const isImage = mediaType.startsWith('image')
  if (source.kind === 'id') return { type: isImage ? 'input_image' : 'input_file', file_id: source.id }
  if (source.kind === 'url') {
    const isInline = source.url.startsWith('data:')
    if (isImage) return { type: 'input_image', image_url: source.url }
    return isInline
      ? { type: 'input_file', filename: filename ?? nameOf(mediaType), file_data: source.url }
      : { type: 'input_file', file_url: source.url, ...named(filename) }
  }
  const own = typeOf(mediaType, source.data)
  if (isImage) return { type: 'input_image', image_url: `data:${own};base64,${source.data}` }
  if (own.startsWith('audio/')) {
    const format = AUDIO_FORMATS[own] ?? own.slice('audio/'.length)
    return { type: 'input_audio', input_audio: { data: source.data, format } }
  }
  return { type: 'input_file', filename: filename ?? nameOf(own), file_data: `data:${own};base64,${source.data}` }
}

const named = (filename: string | undefined): JsonObject => (filename === undefined ? {} : { filename })

/** Vendors require a name, whose ending is the type of the file. */
const nameOf = (mediaType: string): string => `file.${mediaType.split('/')[1]?.replace(/[^a-z0-9]+/gi, '-') ?? 'bin'}`

/** A generated image of an earlier answer → the item that it was; null for other files. */
export function toGeneratedImage({ data, mediaType }: File): JsonObject | null {
  const source = sourceOf(data, [])
  if (source?.kind !== 'base64' || !mediaType.startsWith('image')) return null
  const type = typeOf(mediaType, source.data)
  return {
    type: 'image_generation_call',
    status: 'completed',
    result: source.data,
    output_format: type.slice('image/'.length),
  }
}

/** A part of the result of a tool, in the form of either version. */
export function toResultPart(part: GivenResultPart, providers: readonly string[]): JsonObject | UnsentFile {
  const { type, text, data, url, fileId, filename } = part
  if (type === 'text') return { type: 'input_text', text: text ?? '' }
  const isImage = type.startsWith('image')
  const mediaType = part.mediaType ?? (isImage ? 'image/*' : 'application/octet-stream')
  if (data !== undefined) return toFilePart({ data, mediaType, filename }, providers)
  if (url !== undefined) return toFilePart({ data: { type: 'url', url: new URL(url) }, mediaType, filename }, providers)
  if (typeof fileId === 'string') return { type: isImage ? 'input_image' : 'input_file', file_id: fileId }
  if (fileId !== undefined) return toFilePart({ data: { type: 'reference', reference: fileId }, mediaType }, providers)
  return { why: `content of the type ${type} has no equivalent` }
}

export const isUnsent = (part: JsonObject | UnsentFile): part is UnsentFile =>
  typeof (part as UnsentFile).why === 'string'

/** A value of the program as JSON; a text that is none for values that are none. */
export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value) ?? 'null') as Json
