import type { JsonObject } from '../../protocol/json.ts'
import { isObject, isText } from '../../text/json.ts'
import { expected, isAbsent, listAt, lose, loseFields, type Notes, nameAt, objectAt, textAt } from '../notes.ts'
import type { Bag } from './state.ts'

const INPUT_WORDS = 'one of text, image_url, input_audio, file'
const SPOKEN_WORDS = 'one of text, refusal'

/** Marks for the vendor's own cache. */
const CACHE_MARKS = ['cache_control', 'prompt_cache_breakpoint'] as const

const DETAILS: ReadonlySet<unknown> = new Set(['auto', 'low', 'high', 'original'])

/** Its object, or the bare text of which several clients make one. */
const innerOf = (notes: Notes, place: string, value: unknown, field: string): Bag =>
  isText(value) ? { [field]: value } : objectAt(notes, place, value)

function decodeImage(part: Bag, place: string, notes: Notes): JsonObject {
  const image = innerOf(notes, `${place}.image_url`, part.image_url, 'url')
  const image_url = nameAt(notes, `${place}.image_url.url`, image.url)
  const { detail } = image
  if (isAbsent(detail)) return { type: 'input_image', image_url }
  if (DETAILS.has(detail)) return { type: 'input_image', image_url, detail: detail as string }
  lose(notes, `${place}.image_url.detail`, 'this service does not know it')
  return { type: 'input_image', image_url }
}

function decodeAudio(part: Bag, place: string, notes: Notes): JsonObject {
  const audio = objectAt(notes, `${place}.input_audio`, part.input_audio)
  return {
    type: 'input_audio',
    input_audio: {
      data: nameAt(notes, `${place}.input_audio.data`, audio.data),
      format: nameAt(notes, `${place}.input_audio.format`, audio.format),
    },
  }
}

/** Some servers take an address in the place of the data. */
function decodeFile(part: Bag, place: string, notes: Notes): JsonObject {
  const file = objectAt(notes, `${place}.file`, part.file)
  const { file_data, file_id, filename } = file
  const named = isText(filename) ? { filename } : {}
  if (isText(file_data)) {
    const field = /^https?:\/\//i.test(file_data) ? 'file_url' : 'file_data'
    return { type: 'input_file', ...named, [field]: file_data }
  }
  return { type: 'input_file', ...named, file_id: nameAt(notes, `${place}.file.file_data`, file_id ?? file_data) }
}

function decodeInputPart(value: unknown, place: string, notes: Notes): JsonObject {
  const part = objectAt(notes, place, value)
  loseFields(notes, part, CACHE_MARKS, 'this service does not know it', `${place}.`)
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: textAt(notes, `${place}.text`, part.text) }
    case 'image_url':
      return decodeImage(part, place, notes)
    case 'input_audio':
      return decodeAudio(part, place, notes)
    case 'file':
      return decodeFile(part, place, notes)
    default:
      if (isObject(value)) expected(notes, `${place}.type`, INPUT_WORDS, part.type)
      return {}
  }
}

/** What a user, a rule or a tool says: a text, or a list of parts. */
export function decodeContent(content: unknown, place: string, notes: Notes): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }]
  if (!Array.isArray(content)) expected(notes, place, 'a string or a list of content parts', content)
  return listAt(notes, place, content).map((part, i) => decodeInputPart(part, `${place}[${i}]`, notes))
}

const outputText = (text: string): JsonObject => ({ type: 'output_text', text, annotations: [] })
const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal })

function decodeSpokenPart(value: unknown, place: string, notes: Notes): readonly JsonObject[] {
  const part = objectAt(notes, place, value)
  loseFields(notes, part, CACHE_MARKS, 'this service does not know it', `${place}.`)
  switch (part.type) {
    case 'text':
      return [outputText(textAt(notes, `${place}.text`, part.text))]
    case 'refusal':
      return [refusalPart(textAt(notes, `${place}.refusal`, part.refusal))]
    case 'thinking':
      // A thought, which has an item of its own: `decode-thoughts.ts`.
      return []
    default:
      if (isObject(value)) expected(notes, `${place}.type`, SPOKEN_WORDS, part.type)
      return []
  }
}

/** What the assistant said: nothing, a text, or a list of parts; and what it refused, in a field of its own. */
export function decodeSpoken({ content, refusal }: Bag, place: string, notes: Notes): readonly JsonObject[] {
  const refused = isAbsent(refusal) ? '' : textAt(notes, `${place}.refusal`, refusal)
  const after = refused === '' ? [] : [refusalPart(refused)]
  if (isAbsent(content) || content === '') return after
  if (typeof content === 'string') return [outputText(content), ...after]
  if (!Array.isArray(content)) expected(notes, `${place}.content`, 'a string, a list of content parts or null', content)
  const parts = listAt(notes, `${place}.content`, content)
  return [...parts.flatMap((part, i) => decodeSpokenPart(part, `${place}.content[${i}]`, notes)), ...after]
}
