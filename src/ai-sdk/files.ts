import type { Json, JsonObject } from '../protocol/json.ts'
import { MAX_LENGTHS } from '../protocol/limits.ts'
import { bytesToBase64 } from '../text/base64.ts'
import { isDeeperThan } from '../text/json.ts'
import { endingOf, mediaTypeOf } from '../wires/shared/media-types.ts'
import type { GivenFile, GivenResultPart } from './contract.ts'

/** The upstream, as far as the form of a file depends on it. */
export interface FileUpstream {
  /** The names under which a reference to a stored file may be given. */
  readonly providers: readonly string[]
  readonly wire: string
}

/** Protocols that have the type of a file beside its address, which requests have as the ending of its name. */
const TYPED: ReadonlySet<string> = new Set(['gemini-generate', 'gemini-interactions', 'bedrock-converse'])

/** OpenAI's protocol has no name beside the address of a file. */
const UNNAMED = 'openai-responses'

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

/** A file → a part of the input. */
export function toFilePart(file: File, { providers, wire }: FileUpstream): JsonObject | UnsentFile {
  const { data, mediaType, filename } = file
  const source = sourceOf(data, providers)
  if (source === undefined) return { why: 'the file is stored by another provider' }
  if (source.kind === 'text') return { type: 'input_text', text: source.text }
  const isImage = mediaType.startsWith('image')
  if (source.kind === 'id') {
    return isImage && !TYPED.has(wire)
      ? { type: 'input_image', file_id: source.id }
      : { type: 'input_file', file_id: source.id, ...named(file, source.id, wire) }
  }
  if (source.kind === 'url') {
    const { url } = source
    if (url.startsWith('data:'))
      return isImage
        ? { type: 'input_image', image_url: url }
        : { type: 'input_file', filename: filename ?? nameOf(mediaType), file_data: url }
    return isImage && (!TYPED.has(wire) || !isOfKnownType(mediaType) || mediaTypeOf(url) !== undefined)
      ? { type: 'input_image', image_url: url }
      : { type: 'input_file', file_url: url, ...named(file, url, wire) }
  }
  const own = typeOf(mediaType, source.data)
  if (isImage) return { type: 'input_image', image_url: `data:${own};base64,${source.data}` }
  if (own.startsWith('audio/')) {
    const format = AUDIO_FORMATS[own] ?? own.slice('audio/'.length)
    return { type: 'input_audio', input_audio: { data: source.data, format } }
  }
  return { type: 'input_file', filename: filename ?? nameOf(own), file_data: `data:${own};base64,${source.data}` }
}

const isOfKnownType = (mediaType: string): boolean => /\/[^*]/.test(mediaType)

/** The name of a file beside its address: its own, else one with the ending of its type where the address has none. */
function named({ filename, mediaType }: File, address: string, wire: string): JsonObject {
  if (wire === UNNAMED) return {}
  if (!TYPED.has(wire) || mediaTypeOf(address) !== undefined) return filename === undefined ? {} : { filename }
  const known = filename !== undefined && mediaTypeOf(filename) !== undefined
  if (known || !isOfKnownType(mediaType)) return filename === undefined ? {} : { filename }
  return { filename: `${filename ?? 'file'}.${endingOf(mediaType) ?? endingIn(mediaType)}` }
}

const endingIn = (mediaType: string): string => mediaType.split('/')[1]?.replace(/[^a-z0-9]+/gi, '-') ?? 'bin'

/** Vendors require a name, whose ending is the type of the file. */
const nameOf = (mediaType: string): string => `file.${endingIn(mediaType)}`

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
export function toResultPart(part: GivenResultPart, upstream: FileUpstream): JsonObject | UnsentFile {
  const { type, text, data, url, fileId, filename } = part
  if (type === 'text') return { type: 'input_text', text: text ?? '' }
  const isImage = type.startsWith('image')
  const mediaType = part.mediaType ?? (isImage ? 'image/*' : 'application/octet-stream')
  const file = data ?? (url === undefined ? referenceOf(fileId, upstream) : { type: 'url' as const, url: new URL(url) })
  return file === undefined
    ? { why: `content of the type ${type} has no equivalent` }
    : toFilePart({ data: file, mediaType, filename }, upstream)
}

/** An id without the name of its provider is of this one. */
function referenceOf(fileId: GivenResultPart['fileId'], { providers }: FileUpstream): GivenFile | undefined {
  if (fileId === undefined) return undefined
  return { type: 'reference', reference: typeof fileId === 'string' ? { [providers[0] ?? '']: fileId } : fileId }
}

export const isUnsent = (part: JsonObject | UnsentFile): part is UnsentFile =>
  typeof (part as UnsentFile).why === 'string'

/** Whether a value has more levels than can be written safely. */
export const isTooDeep = (value: unknown): boolean => isDeeperThan(MAX_LENGTHS.nesting, value)

/** A value of the program as JSON; a text that is none for values that are none. */
export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value) ?? 'null') as Json
