import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { addLoss, dropped, type Loss, mapped, ONLY_SCHEMA } from '../../../protocol/loss.ts'
import type { InputItem, InputPart, Request, TextFormat, ToolChoice } from '../../../protocol/request.ts'
import { describeValue } from '../../../validation/messages.ts'
import type { Quirks } from '../../quirks.ts'
import { fileTypeOf, parseDataUrl } from '../media-types.ts'
import type { ConversationTurn, LocatedInput, OutputInput } from '../upstream/conversation.ts'
import { NO_TOOL_TO_CALL } from '../upstream/forced-tools.ts'
import type { RequestFields } from '../upstream/request-fields.ts'
import { mapSchemas } from '../upstream/schemas/map-schemas.ts'

/* The parts of requests that both protocols of Google have. */

/** The Gemini API reads its key from a header of its own; Vertex AI takes an access token of Google Cloud. */
export function authorizeGoogle(key: string, { keyHeader }: Quirks): Readonly<Record<string, string>> {
  return keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key }
}

/** Returns why a tool choice is impossible, or null. Calls of functions can be forced, calls of server tools cannot. */
export function choiceRefusal(
  choice: ToolChoice | null,
  functions: readonly { readonly name: string }[],
): string | null {
  if (choice === null || choice === 'auto' || choice === 'none') return null
  if (choice === 'required') {
    return functions.length > 0 ? null : NO_TOOL_TO_CALL
  }
  const known = choice.type === 'function' && functions.some(({ name }) => name === choice.name)
  return known ? null : `this upstream cannot be forced to call ${choice.name}; send another tool, or auto`
}

// ---------------------------------------------------------------- schemas

/** A schema that Google's parser accepts, and how it differs from the original. */
interface AcceptedSchema {
  readonly schema: JsonObject
  readonly losses: readonly Loss[]
}

/**
 * Returns the schema without what Google's parser refuses as a syntax error of the whole request: lists of `items`, and
 * an empty `required`. The same schema: it has neither. `path`: its path, for losses.
 */
export function acceptedSchema(schema: JsonObject, path: string): AcceptedSchema {
  const losses: Loss[] = []
  const accepted = mapSchemas(schema, path, (one) => {
    const { items, required } = one
    const isEmpty = Array.isArray(required) && required.length === 0
    if (!isEmpty && !Array.isArray(items)) return one
    const { required: _, ...others } = one
    const kept = isEmpty ? others : one
    if (!Array.isArray(items)) return kept
    addLoss(losses, mapped(path, 'its lists of item schemas are sent as alternatives'))
    return { ...kept, items: items.length === 0 ? {} : { anyOf: items } }
  })
  return { schema: accepted as JsonObject, losses }
}

/** `text.format.schema` as a member of the body. */
export function formatSchema(
  { schema, description }: Extract<TextFormat, { readonly type: 'json_schema' }>,
  toFields: (schema: JsonObject) => JsonObject,
): RequestFields {
  const accepted = acceptedSchema(schema, 'text.format.schema')
  const undescribed = description === null ? [] : [dropped('text.format.description', ONLY_SCHEMA)]
  return { fields: toFields(accepted.schema), losses: [...accepted.losses, ...undescribed] }
}

// ---------------------------------------------------------------- conversations

/** Maps the index of the last item of a turn to the outputs that follow it. */
export function outputsAfter(
  turns: readonly ConversationTurn[],
): ReadonlyMap<number, readonly LocatedInput<OutputInput>[]> {
  return new Map(
    turns.flatMap((turn) => {
      if (turn.kind !== 'assistant' || turn.outputs.length === 0) return []
      const last = [...turn.reasoning, ...turn.messages, ...turn.calls].reduce((most, { at }) => Math.max(most, at), 0)
      return [[last, turn.outputs] as const]
    }),
  )
}

/** Maps each call id to the name of the function, which the upstream requires again with the output. */
export const namesOf = (input: readonly InputItem[]): ReadonlyMap<string, string> =>
  new Map(
    input.flatMap((item) =>
      item.type === 'function_call' || item.type === 'custom_tool_call' ? [[item.call_id, item.name] as const] : [],
    ),
  )

/** Collects all instructions for the system instruction. Instructions that come later in the input are moved there. */
export function rulesOf({ instructions, input }: Request): {
  readonly texts: readonly string[]
  readonly losses: readonly Loss[]
} {
  const isRule = (item: InputItem) => item.type === 'message' && (item.role === 'system' || item.role === 'developer')
  const start = input.findIndex((item) => !isRule(item))
  const losses: Loss[] = []
  const texts = input.flatMap((item, at) => {
    if (item.type !== 'message' || item.role === 'user' || item.role === 'assistant') return []
    const own = item.content.flatMap((part) => (part.type === 'input_text' ? [part.text] : []))
    if (own.length < item.content.length) {
      losses.push(dropped(`input[${at}].content`, `this upstream accepts only text in a ${item.role} message`))
    }
    if (start >= 0 && at > start) losses.push(mapped(`input[${at}]`, 'moved to the system instruction'))
    return own
  })
  return { texts: [instructions ?? '', ...texts].filter((text) => text !== ''), losses }
}

/** Rejects an output whose call is not in the input: without the call, the name of the function is unknown. */
export function orphanError(turns: readonly ConversationTurn[]): GatewayError | null {
  const orphan = turns.find((turn) => turn.kind === 'orphan')
  if (orphan === undefined) return null
  const param = `input[${orphan.at}].call_id`
  return clientError(
    'invalid_prompt',
    `${param}: expected the call_id of a call in the input, got ${describeValue(orphan.item.call_id)}`,
    param,
  )
}

/** The types of images that Google's models accept (ai.google.dev, Image understanding). */
export const GOOGLE_IMAGES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']

/**
 * The types of text files that they read; JSON is none of them (ai.google.dev, Document understanding). On Vertex: "it has a
 * mimeType parameter with value text/csv, which is not supported".
 */
export const googleTexts = ({ platform }: Pick<Quirks, 'platform'>): RegExp =>
  platform === 'vertex' ? /^text\/plain$/i : /^text\/./i

const IMAGE_TYPES = [
  [/^iVBORw0/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^UklGR/, 'image/webp'],
] as const

/** Returns the media type of a generated image by the beginning of its data. */
export const imageTypeOf = (data: string): string => IMAGE_TYPES.find(([start]) => start.test(data))?.[1] ?? 'image/png'

// ---------------------------------------------------------------- media

/** The data or the address of an image, a file or a sound, or the reason why Google cannot take it. */
type Media =
  | { readonly data: string; readonly mimeType: string }
  | { readonly uri: string; readonly mimeType: string | undefined }
  | { readonly loss: string }

/** Encodes a data URL, or base64 without a prefix. */
function embedded(data: string, fallback: string): Media {
  const found = parseDataUrl(data)
  if (found === null) {
    return data.startsWith('data:') ? { loss: 'its data: URL is invalid' } : { mimeType: fallback, data }
  }
  if (!found.base64) return { loss: 'this upstream accepts only base64 data' }
  return { mimeType: found.mediaType || fallback, data: found.body }
}

/**
 * Encodes a file by its URL, which Google fetches. Google's own URLs have no extension; the name gives the type then.
 */
const linked = (uri: string, filename = ''): Media => ({ uri, mimeType: fileTypeOf(uri) ?? fileTypeOf(filename) })

const FILES = 'https://generativelanguage.googleapis.com/v1beta/'

function fileOf(file: Extract<InputPart, { readonly type: 'input_file' }>): Media {
  const { filename, file_data, file_url, file_id } = file
  if (file_data !== null) return embedded(file_data, fileTypeOf(filename ?? '') ?? 'application/pdf')
  if (file_url?.startsWith('data:')) return embedded(file_url, 'application/pdf')
  if (file_url !== null) return linked(file_url, filename ?? '')
  return stored(file_id, filename ?? '')
}

/** Encodes a stored file by its id, or by its URL. */
function stored(id: string | null, filename = ''): Media {
  if (id?.startsWith('files/')) return linked(FILES + id, filename)
  return id !== null && /^(?:https|gs):\/\//.test(id)
    ? linked(id, filename)
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
