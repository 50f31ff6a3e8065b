import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { toBase64 } from '../../../text/base64.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { exceptWhen, type FieldSet, fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import { withBreakpointAtEnd } from '../../shared/client/cache-control.ts'
import {
  leaveUnsupported,
  mapField,
  nameAt,
  optionalAt,
  type RequestReader,
  rejectType,
  rejectWord,
  textAt,
} from '../../shared/client/request-reader.ts'

/** Parts of a Responses message. */
type Parts = readonly JsonObject[]

const NO_PARTS: Parts = []

const inputText = (text: string): JsonObject => ({ type: 'input_text', text })

const TEXT = fieldSet(['type', 'text', 'cache_control'])
const IMAGE = fieldSet(['type', 'source', 'cache_control'])
const DOCUMENT = fieldSet(['type', 'source', 'title', 'context', 'citations', 'cache_control'])
const SEARCH_RESULT = fieldSet(['type', 'source', 'title', 'content', 'citations', 'cache_control'])
const TOOL_REFERENCE = fieldSet(['type', 'tool_name', 'cache_control'])
const CITATIONS = fieldSet(['enabled'])

/** Fields of a block's source, by the type of the source. */
const SOURCES = {
  base64: fieldSet(['type', 'media_type', 'data']),
  text: fieldSet(['type', 'data'], { media_type: { idle: exceptWhen('text/plain') } }),
  url: fieldSet(['type', 'url']),
  file: fieldSet(['type', 'file_id']),
  content: fieldSet(['type', 'content']),
}

function sourceOf(block: JsonRecord, path: string, notes: RequestReader): JsonRecord {
  const { source } = block
  if (isObject(source)) {
    const fields = isNonEmptyString(source.type) ? lookup<FieldSet>(SOURCES, source.type) : undefined
    return fields === undefined ? source : pickKnown(source, fields, `${path}.source`, notes)
  }
  rejectType(notes, `${path}.source`, 'an object', block.source)
  return {}
}

function dataUrl(source: JsonRecord, path: string, notes: RequestReader): string {
  const mediaType = nameAt(notes, `${path}.media_type`, source.media_type)
  return `data:${mediaType};base64,${nameAt(notes, `${path}.data`, source.data)}`
}

function decodeImage(block: KnownFields<typeof IMAGE>, path: string, notes: RequestReader): Parts {
  const source = sourceOf(block, path, notes)
  const at = `${path}.source`
  switch (source.type) {
    case 'base64':
      return [{ type: 'input_image', image_url: dataUrl(source, at, notes) }]
    case 'url':
      return [{ type: 'input_image', image_url: nameAt(notes, `${at}.url`, source.url) }]
    case 'file':
      return [{ type: 'input_image', file_id: nameAt(notes, `${at}.file_id`, source.file_id) }]
    default:
      rejectWord(notes, `${at}.type`, ['base64', 'url', 'file'], source.type)
      return NO_PARTS
  }
}

/**
 * Plain text goes to upstreams of other wires as text, because few of them accept text files. A text to be cited stays a
 * file.
 */
function decodePlain(text: string, title: string | null, isCited: boolean, { seal }: RequestReader): Parts {
  if (seal === null && !isCited) return [inputText(title === null ? text : `${title}\n\n${text}`)]
  return [{ type: 'input_file', filename: title, file_data: `data:text/plain;base64,${toBase64(text)}` }]
}

function decodeOwnContent(content: unknown, path: string, notes: RequestReader): Parts {
  if (typeof content === 'string') return [inputText(content)]
  if (Array.isArray(content)) return content.flatMap((block, i) => decodePart(block, `${path}[${i}]`, notes))
  rejectType(notes, path, 'a string or a list of content blocks', content)
  return NO_PARTS
}

function decodeSource(
  block: JsonRecord,
  title: string | null,
  isCited: boolean,
  path: string,
  notes: RequestReader,
): Parts {
  const source = sourceOf(block, path, notes)
  const at = `${path}.source`
  const file = { type: 'input_file', filename: title }
  switch (source.type) {
    case 'base64':
      return [{ ...file, file_data: dataUrl(source, at, notes) }]
    case 'text':
      return decodePlain(textAt(notes, `${at}.data`, source.data), title, isCited, notes)
    case 'url':
      return [{ ...file, file_url: nameAt(notes, `${at}.url`, source.url) }]
    case 'file':
      return [{ ...file, file_id: nameAt(notes, `${at}.file_id`, source.file_id) }]
    case 'content':
      mapField(notes, at, 'sent as its separate parts')
      if (isCited) leaveUnsupported(notes, `${path}.citations`, 'the document is sent as its separate parts')
      return decodeOwnContent(source.content, `${at}.content`, notes)
    default:
      rejectWord(notes, `${at}.type`, ['base64', 'text', 'url', 'file', 'content'], source.type)
      return NO_PARTS
  }
}

/** Whether the answer shall cite the block. */
function requestsCitations(
  { citations }: { readonly citations?: unknown },
  path: string,
  notes: RequestReader,
): boolean {
  return isObject(citations) && pickKnown(citations, CITATIONS, `${path}.citations`, notes).enabled === true
}

const asCited = (part: JsonObject): JsonObject => (part.type === 'input_file' ? { ...part, cited: true } : part)

function decodeDocument(block: KnownFields<typeof DOCUMENT>, path: string, notes: RequestReader): Parts {
  const title = optionalAt(textAt, notes, `${path}.title`, block.title) || null
  const context = optionalAt(textAt, notes, `${path}.context`, block.context)
  const isCited = requestsCitations(block, path, notes)
  if (isNonEmptyString(context)) mapField(notes, `${path}.context`, 'sent as a text before the document')
  const parts = decodeSource(block, title, isCited, path, notes)
  return [...(isNonEmptyString(context) ? [inputText(context)] : []), ...(isCited ? parts.map(asCited) : parts)]
}

function decodeSearchResult(block: KnownFields<typeof SEARCH_RESULT>, path: string, notes: RequestReader): Parts {
  const head = [textAt(notes, `${path}.title`, block.title), textAt(notes, `${path}.source`, block.source)]
  if (requestsCitations(block, path, notes))
    leaveUnsupported(notes, `${path}.citations`, 'the search result is sent as text')
  mapField(notes, path, 'sent as text')
  return [inputText(head.join('\n')), ...decodeOwnContent(block.content, `${path}.content`, notes)]
}

/**
 * Decodes a reference to a tool that the client's own tool search found. Other upstreams see all tools from the start,
 * so a sentence names this one.
 */
function decodeReference(block: KnownFields<typeof TOOL_REFERENCE>, path: string, notes: RequestReader): Parts {
  const name = nameAt(notes, `${path}.tool_name`, block.tool_name)
  const text = `The tool ${name} was found and can be called.`
  if (notes.seal !== null) return [{ ...inputText(text), reference: name }]
  mapField(notes, path, 'sent as text')
  return [inputText(text)]
}

const PARTS = ['text', 'image', 'document', 'search_result'] as const

/** Blocks for features of Anthropic's own service. A request keeps its meaning without them. */
const THEIRS: ReadonlySet<unknown> = new Set([
  'container_upload',
  'browser_state',
  'tool_addition',
  'tool_removal',
  'mcp_tool_listing',
])

/** Decodes a block of a prompt, or of a tool's output, into parts. */
export function decodePart(block: unknown, path: string, notes: RequestReader, others: readonly string[] = []): Parts {
  if (!isObject(block)) {
    rejectType(notes, path, 'an object', block)
    return NO_PARTS
  }
  return withBreakpointAtEnd(notes, path, block, decodeKind(block, path, notes, others))
}

function decodeKind(block: JsonRecord, path: string, notes: RequestReader, others: readonly string[]): Parts {
  const as = <Name extends string>(fields: FieldSet<Name>): KnownFields<FieldSet<Name>> =>
    pickKnown(block, fields, path, notes)
  switch (block.type) {
    case 'text':
      return [inputText(textAt(notes, `${path}.text`, block.text === null ? '' : as(TEXT).text))]
    case 'image':
      return decodeImage(as(IMAGE), path, notes)
    case 'document':
      return decodeDocument(as(DOCUMENT), path, notes)
    case 'search_result':
      return decodeSearchResult(as(SEARCH_RESULT), path, notes)
    case 'tool_reference':
      return decodeReference(as(TOOL_REFERENCE), path, notes)
    default:
      if (THEIRS.has(block.type)) leaveUnsupported(notes, path, `blocks of type ${block.type} are not supported`)
      else rejectWord(notes, `${path}.type`, [...PARTS, ...others], block.type)
      return NO_PARTS
  }
}
