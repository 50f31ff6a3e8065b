import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { toBase64 } from '../../../text/base64.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { exceptWhen, type FieldSet, fieldSet, type KnownFields, pickKnown } from '../../../validation/unknown-fields.ts'
import { dropField, mapField } from '../../shared/client/request-reader.ts'
import {
  CACHE,
  type MessagesReader,
  readOptionalText,
  readString,
  readText,
  reject,
  rejectBlockType,
  rejectValue,
} from './reader.ts'

/** Parts of a Responses message. */
type Parts = readonly JsonObject[]

const NO_PARTS: Parts = []

export const inputText = (text: string): JsonObject => ({ type: 'input_text', text })

const TEXT = fieldSet(['type', 'text'], CACHE)
const IMAGE = fieldSet(['type', 'source'], CACHE)
const DOCUMENT = fieldSet(['type', 'source', 'title', 'context', 'citations'], CACHE)
const SEARCH_RESULT = fieldSet(['type', 'source', 'title', 'content', 'citations'], CACHE)
const TOOL_REFERENCE = fieldSet(['type', 'tool_name'], CACHE)
const CITATIONS = fieldSet(['enabled'])

/** Fields of a block's source, by the type of the source. */
const SOURCES = {
  base64: fieldSet(['type', 'media_type', 'data']),
  text: fieldSet(['type', 'data'], { media_type: { idle: exceptWhen('text/plain') } }),
  url: fieldSet(['type', 'url']),
  file: fieldSet(['type', 'file_id']),
  content: fieldSet(['type', 'content']),
}

function sourceOf(block: JsonRecord, path: string, reading: MessagesReader): JsonRecord {
  const { source } = block
  if (isObject(source)) {
    const fields = isNonEmptyString(source.type) ? lookup<FieldSet>(SOURCES, source.type) : undefined
    return fields === undefined ? source : pickKnown(source, fields, `${path}.source`, reading)
  }
  rejectValue(reading, `${path}.source`, 'an object', block.source)
  return {}
}

function dataUrl(source: JsonRecord, path: string, reading: MessagesReader): string {
  const mediaType = readText(source, 'media_type', path, reading)
  return `data:${mediaType};base64,${readText(source, 'data', path, reading)}`
}

function decodeImage(block: KnownFields<typeof IMAGE>, path: string, reading: MessagesReader): Parts {
  const source = sourceOf(block, path, reading)
  const at = `${path}.source`
  switch (source.type) {
    case 'base64':
      return [{ type: 'input_image', image_url: dataUrl(source, at, reading) }]
    case 'url':
      return [{ type: 'input_image', image_url: readText(source, 'url', at, reading) }]
    case 'file':
      reject(reading, at, 'stored images are not supported; send the data of the image, or its URL')
      return NO_PARTS
    default:
      rejectBlockType(reading, at, ['base64', 'url'], source.type)
      return NO_PARTS
  }
}

/** Plain text goes to upstreams of other wires as text, because few of them accept text files. */
function decodePlain(text: string, title: string | null, { seal }: MessagesReader): Parts {
  if (seal === null) return [inputText(title === null ? text : `${title}\n\n${text}`)]
  return [{ type: 'input_file', filename: title, file_data: `data:text/plain;base64,${toBase64(text)}` }]
}

function decodeOwnContent(content: unknown, path: string, reading: MessagesReader): Parts {
  if (typeof content === 'string') return [inputText(content)]
  if (Array.isArray(content)) return content.flatMap((block, i) => decodePart(block, `${path}[${i}]`, reading))
  rejectValue(reading, path, 'a string or a list of content blocks', content)
  return NO_PARTS
}

function decodeSource(block: JsonRecord, title: string | null, path: string, reading: MessagesReader): Parts {
  const source = sourceOf(block, path, reading)
  const at = `${path}.source`
  const file = { type: 'input_file', filename: title }
  switch (source.type) {
    case 'base64':
      return [{ ...file, file_data: dataUrl(source, at, reading) }]
    case 'text':
      return decodePlain(readString(source, 'data', at, reading), title, reading)
    case 'url':
      return [{ ...file, file_url: readText(source, 'url', at, reading) }]
    case 'file':
      return [{ ...file, file_id: readText(source, 'file_id', at, reading) }]
    case 'content':
      mapField(reading, at, 'sent as its separate parts')
      return decodeOwnContent(source.content, `${at}.content`, reading)
    default:
      rejectBlockType(reading, at, ['base64', 'text', 'url', 'file', 'content'], source.type)
      return NO_PARTS
  }
}

function noteCitations({ citations }: { readonly citations?: unknown }, path: string, reading: MessagesReader): void {
  if (!isObject(citations)) return
  const { enabled } = pickKnown(citations, CITATIONS, `${path}.citations`, reading)
  if (enabled === true) dropField(reading, `${path}.citations`, 'citations from documents are not supported')
}

function decodeDocument(block: KnownFields<typeof DOCUMENT>, path: string, reading: MessagesReader): Parts {
  const title = readOptionalText(block, 'title', path, reading) || null
  const context = readOptionalText(block, 'context', path, reading)
  noteCitations(block, path, reading)
  if (isNonEmptyString(context)) mapField(reading, `${path}.context`, 'sent as a text before the document')
  return [...(isNonEmptyString(context) ? [inputText(context)] : []), ...decodeSource(block, title, path, reading)]
}

function decodeSearchResult(block: KnownFields<typeof SEARCH_RESULT>, path: string, reading: MessagesReader): Parts {
  const head = [readString(block, 'title', path, reading), readString(block, 'source', path, reading)]
  noteCitations(block, path, reading)
  mapField(reading, path, 'sent as text')
  return [inputText(head.join('\n')), ...decodeOwnContent(block.content, `${path}.content`, reading)]
}

/**
 * Decodes a reference to a tool that the client's own tool search found. Other upstreams see all tools from the start,
 * so a sentence names this one.
 */
function decodeReference(block: KnownFields<typeof TOOL_REFERENCE>, path: string, reading: MessagesReader): Parts {
  const name = readText(block, 'tool_name', path, reading)
  const text = `The tool ${name} was found and can be called.`
  if (reading.seal !== null) return [{ ...inputText(text), reference: name }]
  mapField(reading, path, 'sent as text')
  return [inputText(text)]
}

const PARTS = ['text', 'image', 'document', 'search_result'] as const

/** Blocks for features of Anthropic's own service. A request keeps its meaning without them. */
const THEIRS: ReadonlySet<unknown> = new Set(['container_upload', 'browser_state'])

/** Decodes a block of a prompt, or of a tool's output, into parts. */
export function decodePart(
  block: unknown,
  path: string,
  reading: MessagesReader,
  others: readonly string[] = [],
): Parts {
  if (!isObject(block)) {
    rejectValue(reading, path, 'an object', block)
    return NO_PARTS
  }
  const as = <Name extends string>(fields: FieldSet<Name>): KnownFields<FieldSet<Name>> =>
    pickKnown(block, fields, path, reading)
  switch (block.type) {
    case 'text':
      return [inputText(readString(as(TEXT), 'text', path, reading))]
    case 'image':
      return decodeImage(as(IMAGE), path, reading)
    case 'document':
      return decodeDocument(as(DOCUMENT), path, reading)
    case 'search_result':
      return decodeSearchResult(as(SEARCH_RESULT), path, reading)
    case 'tool_reference':
      return decodeReference(as(TOOL_REFERENCE), path, reading)
    default:
      if (THEIRS.has(block.type)) dropField(reading, path, `blocks of type ${block.type} are not supported`)
      else rejectBlockType(reading, path, [...PARTS, ...others], block.type)
      return NO_PARTS
  }
}
