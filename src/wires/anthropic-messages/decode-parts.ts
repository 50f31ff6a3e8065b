import type { JsonObject } from '../../protocol/json.ts'
import { dropped, mapped } from '../../protocol/loss.ts'
import { toBase64 } from '../../text/base64.ts'
import { isObject, isText } from '../../text/json.ts'
import {
  isSaid,
  type Reading,
  readOptionalText,
  readString,
  readText,
  refuse,
  refuseType,
  refuseValue,
} from './reading.ts'
import type { Bag } from './state.ts'

/** Parts of a Responses message. */
type Parts = readonly JsonObject[]

const NO_PARTS: Parts = []

export const inputText = (text: string): JsonObject => ({ type: 'input_text', text })

/** A mark for their cache: everybody else decides alone what is kept. */
export function noteCache(block: Bag, place: string, reading: Reading): void {
  if (!isSaid(block.cache_control)) return
  reading.losses.push(dropped(`${place}.cache_control`, 'no request of ours can mark what is to be kept'))
}

function sourceOf(block: Bag, place: string, reading: Reading): Bag {
  if (isObject(block.source)) return block.source
  refuseValue(reading, `${place}.source`, 'an object', block.source)
  return {}
}

function dataUrl(source: Bag, place: string, reading: Reading): string {
  const mediaType = readText(source, 'media_type', place, reading)
  return `data:${mediaType};base64,${readText(source, 'data', place, reading)}`
}

function decodeImage(block: Bag, place: string, reading: Reading): Parts {
  const source = sourceOf(block, place, reading)
  const at = `${place}.source`
  switch (source.type) {
    case 'base64':
      return [{ type: 'input_image', image_url: dataUrl(source, at, reading) }]
    case 'url':
      return [{ type: 'input_image', image_url: readText(source, 'url', at, reading) }]
    case 'file':
      refuse(reading, at, 'a stored image cannot be passed on; send its data, or a URL of it')
      return NO_PARTS
    default:
      refuseType(reading, at, ['base64', 'url'], source.type)
      return NO_PARTS
  }
}

/** Where a text goes to another vendor it goes as text: few of them take files of it. */
function decodePlain(text: string, title: string | null, { seal }: Reading): Parts {
  if (seal === null) return [inputText(title === null ? text : `${title}\n\n${text}`)]
  return [{ type: 'input_file', filename: title, file_data: `data:text/plain;base64,${toBase64(text)}` }]
}

function decodeOwnContent(content: unknown, place: string, reading: Reading): Parts {
  if (typeof content === 'string') return [inputText(content)]
  if (Array.isArray(content)) return content.flatMap((block, i) => decodePart(block, `${place}[${i}]`, reading))
  refuseValue(reading, place, 'a string or a list of content blocks', content)
  return NO_PARTS
}

function decodeSource(block: Bag, title: string | null, place: string, reading: Reading): Parts {
  const source = sourceOf(block, place, reading)
  const at = `${place}.source`
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
      reading.losses.push(mapped(at, 'sent as the parts that it is made of'))
      return decodeOwnContent(source.content, `${at}.content`, reading)
    default:
      refuseType(reading, at, ['base64', 'text', 'url', 'file', 'content'], source.type)
      return NO_PARTS
  }
}

function noteCitations({ citations }: Bag, place: string, { losses }: Reading): void {
  if (!isObject(citations) || citations.enabled !== true) return
  losses.push(dropped(`${place}.citations`, 'no request of ours can ask to cite from a document'))
}

function decodeDocument(block: Bag, place: string, reading: Reading): Parts {
  const title = readOptionalText(block, 'title', place, reading) || null
  const context = readOptionalText(block, 'context', place, reading)
  noteCitations(block, place, reading)
  if (isText(context)) reading.losses.push(mapped(`${place}.context`, 'sent as a text before the document'))
  return [...(isText(context) ? [inputText(context)] : []), ...decodeSource(block, title, place, reading)]
}

function decodeSearchResult(block: Bag, place: string, reading: Reading): Parts {
  const head = [readString(block, 'title', place, reading), readString(block, 'source', place, reading)]
  noteCitations(block, place, reading)
  reading.losses.push(mapped(place, 'sent as text'))
  return [inputText(head.join('\n')), ...decodeOwnContent(block.content, `${place}.content`, reading)]
}

const PARTS = ['text', 'image', 'document', 'search_result'] as const

/** Blocks that ask for something of their own service. Without them the question is the same. */
const THEIRS: ReadonlySet<unknown> = new Set(['container_upload', 'tool_reference', 'browser_state'])

/** A block of a prompt, or of what a tool gave, as parts. */
export function decodePart(block: unknown, place: string, reading: Reading, others: readonly string[] = []): Parts {
  if (!isObject(block)) {
    refuseValue(reading, place, 'an object', block)
    return NO_PARTS
  }
  noteCache(block, place, reading)
  switch (block.type) {
    case 'text':
      return [inputText(readString(block, 'text', place, reading))]
    case 'image':
      return decodeImage(block, place, reading)
    case 'document':
      return decodeDocument(block, place, reading)
    case 'search_result':
      return decodeSearchResult(block, place, reading)
    default:
      if (THEIRS.has(block.type)) reading.losses.push(dropped(place, `no request of ours has a ${block.type}`))
      else refuseType(reading, place, [...PARTS, ...others], block.type)
      return NO_PARTS
  }
}
