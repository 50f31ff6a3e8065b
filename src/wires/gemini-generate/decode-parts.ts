import type { JsonObject } from '../../protocol/json.ts'
import { formatJson, isObject, parseJson } from '../../text/json.ts'
import { type Fields, has, lose, loseOthers, nameIn, objectIn, objectsIn, textIn, wrong } from './asked.ts'
import { endingOf } from './parts.ts'

/** All kinds of parts; what else stands in one asks for something. */
const KINDS: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
])

export const loseExtras = (part: Fields): void => loseOthers(part, KINDS, 'no other API has it')

/** The word by which other services know a kind of sound. */
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

function decodeData(blob: Fields): JsonObject {
  const type = textIn(blob, 'mimeType')?.toLowerCase() ?? ''
  const data = nameIn(blob, 'data')
  const url = `data:${type};base64,${data}`
  if (type.startsWith('image/')) return { type: 'input_image', image_url: url }
  const sound = /^audio\/([^;]+)/.exec(type)?.[1]
  if (sound !== undefined) return { type: 'input_audio', input_audio: { data, format: SOUNDS.get(sound) ?? sound } }
  return { type: 'input_file', file_data: url, ...nameFor(type, textIn(blob, 'displayName')) }
}

function decodeLink(link: Fields): JsonObject {
  const uri = nameIn(link, 'fileUri')
  const type = textIn(link, 'mimeType')?.toLowerCase() ?? ''
  if (type.startsWith('image/')) return { type: 'input_image', image_url: uri }
  return { type: 'input_file', file_url: uri, ...nameFor(type, textIn(link, 'displayName')) }
}

/** What a user shows; null where it is no such part. */
function decodeMedia(part: Fields): JsonObject | null {
  const data = objectIn(part, 'inlineData')
  if (data !== null) return decodeData(data)
  const link = objectIn(part, 'fileData')
  return link === null ? null : decodeLink(link)
}

/** A part of a user's message; null where it has no place in one, which is told. */
export function decodeUserPart(part: Fields): JsonObject | null {
  loseExtras(part)
  if (has(part, 'text')) return { type: 'input_text', text: textIn(part, 'text') ?? '' }
  const media = decodeMedia(part)
  if (media !== null) return media
  if (has(part, 'functionCall')) wrong(part.notes, `${part.place}.functionCall`, 'only a model calls functions')
  else if (Object.keys(part.bag).some((name) => KINDS.has(name))) {
    lose(part.notes, part.place, 'no user says this')
  }
  return null
}

/** The text alone where there is nothing else and it comes back as it was: in `output`, as Google wants it. */
function textOfResponse(response: Fields): string {
  const { output } = response.bag
  const isAlone = Object.keys(response.bag).length === 1
  return isAlone && typeof output === 'string' && !isObject(parseJson(output)) ? output : formatJson(response.bag)
}

const RESPONSE: ReadonlySet<string> = new Set(['id', 'name', 'response', 'parts'])

/** What a function gave: its text, or a list where pictures and files are with it. */
export function decodeOutput(found: Fields): string | readonly JsonObject[] {
  loseOthers(found, RESPONSE, 'no other API has it')
  const response = objectIn(found, 'response')
  const text = response === null ? '' : textOfResponse(response)
  const parts = objectsIn(found, 'parts').flatMap((part): readonly JsonObject[] => {
    const media = decodeMedia(part)
    return media === null ? [] : [media]
  })
  return parts.length === 0 ? text : [{ type: 'input_text', text }, ...parts]
}
