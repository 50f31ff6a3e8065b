import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { UNSUPPORTED_VALUE } from '../../../protocol/loss.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { type FieldSet, fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import { describeValue } from '../../../validation/messages.ts'
import { BREAKPOINT_NAMES, withBreakpointOf } from '../../shared/client/cache-control.ts'
import {
  dropField,
  isAbsent,
  leaveUnsupported,
  nameAt,
  objectAt,
  type RequestReader,
  readFieldsAt,
  readListAt,
  rejectType,
  requireOwn,
  textAt,
} from '../../shared/client/request-reader.ts'

const INPUT_WORDS = 'one of text, image_url, input_audio, file, video_url'
const OUTPUT_WORDS = 'one of text, refusal'

const TEXT = fieldSet(['type', 'text', ...BREAKPOINT_NAMES])
const REFUSAL = fieldSet(['type', 'refusal', ...BREAKPOINT_NAMES])
const IMAGE = fieldSet(['type', 'image_url', ...BREAKPOINT_NAMES])
const IMAGE_URL = fieldSet(['url', 'detail'])
const AUDIO = fieldSet(['type', 'input_audio', ...BREAKPOINT_NAMES])
const SOUND = fieldSet(['data', 'format'])
const FILE = fieldSet(['type', 'file', ...BREAKPOINT_NAMES])
const VIDEO = fieldSet(['type', 'video_url', ...BREAKPOINT_NAMES])
const VIDEO_URL = fieldSet(['url'])
const FILE_DATA = fieldSet(['file_data', 'file_id', 'filename'])
const THINKING = fieldSet(['type', 'thinking'])

const DETAILS: ReadonlySet<unknown> = new Set(['auto', 'low', 'high', 'original'])

/** Reads the image object. Several clients send the bare URL instead. */
const imageOf = (notes: RequestReader, path: string, value: unknown): KnownFields<typeof IMAGE_URL> =>
  isNonEmptyString(value) ? { url: value } : readFieldsAt(notes, path, value, IMAGE_URL)

function decodeImage(part: KnownFields<typeof IMAGE>, path: string, notes: RequestReader): JsonObject {
  const image = imageOf(notes, `${path}.image_url`, part.image_url)
  const image_url = nameAt(notes, `${path}.image_url.url`, image.url)
  const { detail } = image
  if (isAbsent(detail)) return { type: 'input_image', image_url }
  if (DETAILS.has(detail)) return { type: 'input_image', image_url, detail: detail as string }
  leaveUnsupported(notes, `${path}.image_url.detail`, UNSUPPORTED_VALUE)
  return { type: 'input_image', image_url }
}

function decodeAudio(part: KnownFields<typeof AUDIO>, path: string, notes: RequestReader): JsonObject {
  const audio = readFieldsAt(notes, `${path}.input_audio`, part.input_audio, SOUND)
  return {
    type: 'input_audio',
    input_audio: {
      data: nameAt(notes, `${path}.input_audio.data`, audio.data),
      format: nameAt(notes, `${path}.input_audio.format`, audio.format),
    },
  }
}

/** Some servers accept a URL in the place of the data. */
function decodeFile(part: KnownFields<typeof FILE>, path: string, notes: RequestReader): JsonObject {
  const file = readFieldsAt(notes, `${path}.file`, part.file, FILE_DATA)
  const { file_data, file_id, filename } = file
  const named = isNonEmptyString(filename) ? { filename } : {}
  if (isNonEmptyString(file_data)) {
    if (isNonEmptyString(file_id)) dropField(notes, `${path}.file.file_id`, 'file_data takes precedence')
    const field = /^https?:\/\//i.test(file_data) ? 'file_url' : 'file_data'
    return { type: 'input_file', ...named, [field]: file_data }
  }
  return { type: 'input_file', ...named, file_id: nameAt(notes, `${path}.file.file_data`, file_id ?? file_data) }
}

/** Reads a video, a part that routers and servers of open models have, as a file. */
function decodeVideo(part: KnownFields<typeof VIDEO>, path: string, notes: RequestReader): JsonObject {
  const video = isNonEmptyString(part.video_url)
    ? { url: part.video_url }
    : readFieldsAt(notes, `${path}.video_url`, part.video_url, VIDEO_URL)
  const url = nameAt(notes, `${path}.video_url.url`, video.url)
  return url.startsWith('data:')
    ? { type: 'input_file', filename: 'video', file_data: url }
    : { type: 'input_file', filename: 'video.mp4', file_url: url }
}

function decodeInputPart(value: unknown, path: string, notes: RequestReader): readonly JsonObject[] {
  const part = objectAt(notes, path, value)
  const decoded = decodeKind(part, value, path, notes)
  return decoded === null ? [] : [withBreakpointOf(notes, path, part, decoded)]
}

/** Servers of open models and routers have parts of their own. */
function requirePart(notes: RequestReader, path: string, words: string, type: string): void {
  requireOwn(notes, path, `expected ${words}, got ${describeValue(type)}`, `${path}.type`)
}

function decodeKind(part: JsonRecord, value: unknown, path: string, notes: RequestReader): JsonObject | null {
  const as = <Name extends string>(one: FieldSet<Name>): KnownFields<FieldSet<Name>> =>
    pickKnown(part, one, path, notes)
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: textAt(notes, `${path}.text`, as(TEXT).text) }
    case 'image_url':
      return decodeImage(as(IMAGE), path, notes)
    case 'input_audio':
      return decodeAudio(as(AUDIO), path, notes)
    case 'file':
      return decodeFile(as(FILE), path, notes)
    case 'video_url':
      return decodeVideo(as(VIDEO), path, notes)
    default:
      if (isNonEmptyString(part.type)) requirePart(notes, path, INPUT_WORDS, part.type)
      else if (isObject(value)) rejectType(notes, `${path}.type`, INPUT_WORDS, part.type)
      return null
  }
}

/** Decodes the content of a user, system or tool message: a string or a list of parts. */
export function decodeContent(content: unknown, path: string, notes: RequestReader): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }]
  if (!Array.isArray(content)) rejectType(notes, path, 'a string or a list of content parts', content)
  return readListAt(notes, path, content).flatMap((part, i) => decodeInputPart(part, `${path}[${i}]`, notes))
}

export const contentPaths = (content: unknown, path: string): readonly string[] =>
  Array.isArray(content) ? content.map((_, i) => `${path}[${i}]`) : [path]

/** For an image of an earlier answer, which only routers and some servers take back. */
const MISSING_IMAGE = '[image: it could not be passed on]'

const outputText = (text: string): JsonObject => ({ type: 'output_text', text, annotations: [] })
const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal })

function checkThinking({ thinking }: KnownFields<typeof THINKING>, path: string, notes: RequestReader): void {
  toArray(thinking).forEach((part, i) => {
    if (isObject(part)) pickKnown(part, TEXT, `${path}.thinking[${i}]`, notes)
  })
}

function decodeAssistantPart(value: unknown, path: string, notes: RequestReader): readonly JsonObject[] {
  const part = objectAt(notes, path, value)
  const as = <Name extends string>(one: FieldSet<Name>): KnownFields<FieldSet<Name>> =>
    pickKnown(part, one, path, notes)
  switch (part.type) {
    case 'text':
      return [withBreakpointOf(notes, path, part, outputText(textAt(notes, `${path}.text`, as(TEXT).text)))]
    case 'refusal':
      return [withBreakpointOf(notes, path, part, refusalPart(textAt(notes, `${path}.refusal`, as(REFUSAL).refusal)))]
    case 'thinking':
      // Reasoning becomes an item of its own: `reasoning-history.ts`.
      checkThinking(as(THINKING), path, notes)
      return []
    case 'image_url':
      dropField(notes, path, 'images in assistant messages are not supported')
      return [outputText(MISSING_IMAGE)]
    default:
      if (isNonEmptyString(part.type)) requirePart(notes, path, OUTPUT_WORDS, part.type)
      else if (isObject(value)) rejectType(notes, `${path}.type`, OUTPUT_WORDS, part.type)
      return []
  }
}

interface LocatedParts {
  readonly parts: readonly JsonObject[]
  readonly paths: readonly string[]
}

/**
 * Decodes the content of an assistant message: nothing, a string, or a list of parts; then the refusal, which has its
 * own field.
 */
export function decodeAssistantContent(
  { content, refusal }: { readonly content?: unknown; readonly refusal?: unknown },
  path: string,
  notes: RequestReader,
): LocatedParts {
  const refused = isAbsent(refusal) ? '' : textAt(notes, `${path}.refusal`, refusal)
  const parts: JsonObject[] = []
  const paths: string[] = []
  const add = (part: JsonObject, own: string): void => {
    parts.push(part)
    paths.push(own)
  }
  if (typeof content === 'string') {
    if (content !== '') add(outputText(content), `${path}.content`)
  } else if (!isAbsent(content)) {
    if (!Array.isArray(content))
      rejectType(notes, `${path}.content`, 'a string, a list of content parts or null', content)
    for (const [i, part] of readListAt(notes, `${path}.content`, content).entries()) {
      const own = `${path}.content[${i}]`
      for (const decoded of decodeAssistantPart(part, own, notes)) add(decoded, own)
    }
  }
  if (refused !== '') add(refusalPart(refused), `${path}.refusal`)
  return { parts, paths }
}
