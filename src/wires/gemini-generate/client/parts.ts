import type { JsonObject } from '../../../protocol/json.ts'
import { formatJson, isObject, parseJson } from '../../../text/json.ts'
import type { NamesOf } from '../../../validation/known-fields.ts'
import { formatField, keepOwn, leaveUnsupported, rejectField } from '../../shared/client/request-reader.ts'
import { endingOf } from '../../shared/media-types.ts'
import {
  fieldNames,
  fieldPath,
  has,
  nameIn,
  objectIn,
  objectsIn,
  only,
  type ReadFields,
  refuseSecond,
  textField,
} from './fields.ts'

/** Fields that determine the kind of a part. A part has only one of them. */
const KINDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const

/** All fields of a part that are read. Any other field is recorded as dropped. */
const PART = fieldNames([...KINDS, 'thought', 'thoughtSignature'])

type ReadPart = ReadFields<NamesOf<typeof PART>>

export const readPartFields = (part: ReadFields): ReadPart => only(part, PART)

/** Reads the parts of a content, and rejects parts of two kinds. */
export function partsIn(content: ReadFields<'parts'>): readonly ReadFields[] {
  const parts = objectsIn(content, 'parts')
  for (const part of parts) refuseSecond(part, KINDS)
  return parts
}

const BLOB = fieldNames(['mimeType', 'data', 'displayName'])
/** Fields of an image or a sound, for which Responses has no file name. */
const SHOWN = fieldNames(['mimeType', 'data'])
const LINK = fieldNames(['mimeType', 'fileUri', 'displayName'])
const SHOWN_LINK = fieldNames(['mimeType', 'fileUri'])
const MEDIA_KINDS = ['inlineData', 'fileData'] as const
const MEDIA = fieldNames(MEDIA_KINDS)

/** Subtype of an audio media type → the format name of other vendors. */
const SOUNDS: ReadonlyMap<string, string> = new Map([
  ['mpeg', 'mp3'],
  ['x-wav', 'wav'],
  ['wave', 'wav'],
  ['vnd.wave', 'wav'],
])

const nameFor = (mimeType: string, name: string | null): JsonObject => {
  const ending = endingOf(mimeType)
  if (name !== null && name !== '') return { filename: name }
  return ending === undefined ? {} : { filename: `file.${ending}` }
}

function fileName(found: ReadFields): string | null {
  const name = textField(found, 'displayName')
  if (name !== null) keepOwn(found.notes, fieldPath(found, 'displayName'))
  return name
}

function decodeData(found: ReadFields): JsonObject {
  const type = textField(found, 'mimeType')?.toLowerCase() ?? ''
  const blob = only(found, /^(?:image|audio)\//.test(type) ? SHOWN : BLOB)
  const data = nameIn(blob, 'data')
  const url = `data:${type};base64,${data}`
  if (type.startsWith('image/')) return { type: 'input_image', image_url: url }
  const sound = /^audio\/([^;]+)/.exec(type)?.[1]
  if (sound !== undefined) return { type: 'input_audio', input_audio: { data, format: SOUNDS.get(sound) ?? sound } }
  return { type: 'input_file', file_data: url, ...nameFor(type, fileName(found)) }
}

function decodeLink(found: ReadFields): JsonObject {
  const type = textField(found, 'mimeType')?.toLowerCase() ?? ''
  const link = only(found, type.startsWith('image/') ? SHOWN_LINK : LINK)
  const uri = nameIn(link, 'fileUri')
  if (type.startsWith('image/')) return { type: 'input_image', image_url: uri }
  return { type: 'input_file', file_url: uri, ...nameFor(type, fileName(found)) }
}

/** Decodes `inlineData` or `fileData`; null if the part has neither. */
function decodeMedia(part: ReadFields<'inlineData' | 'fileData'>): JsonObject | null {
  const data = objectIn(part, 'inlineData')
  if (data !== null) return decodeData(data)
  const link = objectIn(part, 'fileData')
  return link === null ? null : decodeLink(link)
}

/** Decodes a part of a user message. Returns null for any other part, which is an error or a loss. */
export function decodeUserPart(part: ReadPart): JsonObject | null {
  if (has(part, 'text')) return { type: 'input_text', text: textField(part, 'text') ?? '' }
  const media = decodeMedia(part)
  if (media !== null) return media
  if (has(part, 'functionCall'))
    rejectField(
      part.notes,
      `${part.path}.functionCall`,
      'function calls are permitted only in contents of the role model',
    )
  else leaveUnsupported(part.notes, part.path, 'it is not supported in contents of the role user')
  return null
}

/**
 * Unwraps `{output: text}`, Google's form for a text; other responses stay JSON. A text that is a JSON object stays
 * wrapped, because the encoder would otherwise send that object in place of the text.
 */
function textOfResponse(response: ReadFields): string {
  const { output } = response.record
  const isAlone = Object.keys(response.record).length === 1
  return isAlone && typeof output === 'string' && !isObject(parseJson(output))
    ? output
    : formatField(response.notes, response.path, response.record)
}

export const RESPONSE = fieldNames(['id', 'name', 'response', 'parts'])

type ReadFunctionResponse = ReadFields<NamesOf<typeof RESPONSE>>

/** Decodes the result of a function: its text, or a list of parts if it includes images or files. */
export function decodeOutput(found: ReadFunctionResponse): string | readonly JsonObject[] {
  const own = found.record.response
  const response = Array.isArray(own) || typeof own === 'string' ? null : objectIn(found, 'response')
  const text =
    typeof own === 'string'
      ? own
      : Array.isArray(own)
        ? formatJson(own)
        : response === null
          ? ''
          : textOfResponse(response)
  const parts = objectsIn(found, 'parts').flatMap((part): readonly JsonObject[] => {
    refuseSecond(part, MEDIA_KINDS)
    const media = decodeMedia(only(part, MEDIA))
    return media === null ? [] : [media]
  })
  return parts.length === 0 ? text : [{ type: 'input_text', text }, ...parts]
}
