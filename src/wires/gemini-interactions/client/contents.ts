import type { JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { fieldSet, type KnownFields } from '../../../validation/known-fields.ts'
import {
  isAbsent,
  leaveUnsupported,
  mapField,
  nameAt,
  optionalAt,
  type RequestReader,
  readFieldsAt,
  rejectField,
  textAt,
} from '../../shared/client/request-reader.ts'
import { endingOf } from '../../shared/media-types.ts'

const TEXT = fieldSet(['type', 'text'])
const IMAGE = fieldSet(['type', 'data', 'uri', 'mime_type', 'resolution'])
const MEDIA = fieldSet(['type', 'data', 'uri', 'mime_type'])

const MEDIA_TYPES: ReadonlySet<unknown> = new Set(['image', 'audio', 'document', 'video'])

/** Whether an entry of the input is content, not a step. */
export const isUserContent = (value: unknown): boolean =>
  typeof value === 'string' || (isObject(value) && (value.type === 'text' || MEDIA_TYPES.has(value.type)))

/** Subtype of an audio media type → the format name of other vendors. */
const SOUNDS: ReadonlyMap<string, string> = new Map([
  ['mpeg', 'mp3'],
  ['x-wav', 'wav'],
  ['wave', 'wav'],
  ['vnd.wave', 'wav'],
])

const DETAILS: Readonly<Record<string, string>> = { low: 'low', medium: 'auto', high: 'high', ultra_high: 'high' }

function detailOf(resolution: unknown, path: string, notes: RequestReader): JsonObject {
  const word = optionalAt(textAt, notes, `${path}.resolution`, resolution)
  if (word === null) return {}
  const detail = Object.hasOwn(DETAILS, word) ? DETAILS[word] : undefined
  if (detail !== word) mapField(notes, `${path}.resolution`, `sent as the detail "${detail ?? 'auto'}"`)
  return { detail: detail ?? 'auto' }
}

/** The name that a file needs elsewhere: this protocol has none. */
function nameOf(type: string): JsonObject {
  const ending = endingOf(type)
  return ending === undefined ? {} : { filename: `file.${ending}` }
}

interface Source {
  readonly type: string
  readonly data: string | null
  readonly uri: string | null
}

function sourceOf(
  { data, uri, mime_type: mime }: KnownFields<typeof MEDIA>,
  path: string,
  notes: RequestReader,
): Source {
  const type = (optionalAt(textAt, notes, `${path}.mime_type`, mime) ?? '').toLowerCase()
  if (isNonEmptyString(data)) return { type, data, uri: null }
  if (!isAbsent(data)) nameAt(notes, `${path}.data`, data)
  if (isAbsent(uri)) rejectField(notes, path, 'expected data or a uri')
  return { type, data: null, uri: isAbsent(uri) ? '' : nameAt(notes, `${path}.uri`, uri) }
}

const dataUrl = ({ type, data }: Source): string => `data:${type};base64,${data ?? ''}`

function decodeImage(value: unknown, path: string, notes: RequestReader): JsonObject {
  const fields = readFieldsAt(notes, path, value, IMAGE)
  const source = sourceOf(fields, path, notes)
  const image_url = source.data === null ? source.uri : dataUrl({ ...source, type: source.type || 'image/png' })
  return { type: 'input_image', image_url, ...detailOf(fields.resolution, path, notes) }
}

function decodeFile(value: unknown, path: string, notes: RequestReader, isSound: boolean): JsonObject {
  const source = sourceOf(readFieldsAt(notes, path, value, MEDIA), path, notes)
  const { type, data, uri } = source
  if (isSound && data !== null) {
    const sound = /^audio\/([^;]+)/.exec(type)?.[1] ?? 'wav'
    return { type: 'input_audio', input_audio: { data, format: SOUNDS.get(sound) ?? sound } }
  }
  return data === null
    ? { type: 'input_file', file_url: uri, ...nameOf(type) }
    : { type: 'input_file', file_data: dataUrl(source), ...nameOf(type) }
}

/** Decodes one content of a user. Null for content of another type, which is a loss. */
export function decodeContent(value: unknown, path: string, notes: RequestReader): JsonObject | null {
  if (typeof value === 'string') return { type: 'input_text', text: value }
  const type = isObject(value) ? value.type : undefined
  switch (type) {
    case 'text':
      return { type: 'input_text', text: textAt(notes, `${path}.text`, readFieldsAt(notes, path, value, TEXT).text) }
    case 'image':
      return decodeImage(value, path, notes)
    case 'audio':
    case 'document':
    case 'video':
      return decodeFile(value, path, notes, type === 'audio')
    default:
      leaveUnsupported(notes, path, 'content of this type is not supported')
      return null
  }
}
