import { NO_AUDIO } from '../../../protocol/loss.ts'
import type { InputPart } from '../../../protocol/request.ts'
import { lookup } from '../../../text/lookup.ts'
import { fileTypeOf, parseDataUrl } from '../../shared/media-types.ts'
import type { ImageSource, RequestBlock } from '../json.ts'
import { DOCUMENT_FORMATS, IMAGE_FORMATS } from '../terms.ts'
import type { DocumentNames, FilePart } from './documents.ts'

/** The encoded part, or the reason why it cannot be carried. */
type EncodedPart = { readonly block: RequestBlock } | { readonly loss: string }

const loss = (reason: string): EncodedPart => ({ loss: reason })

interface Media {
  /** In lower case, without parameters; empty if unknown. */
  readonly type: string
  readonly source: ImageSource
}

const NO_FETCH = 'this upstream accepts only data: URLs'

/** Reads a `data:` URL, bare base64 or an `s3://` URI. A string is the reason why the URL cannot be sent. */
function readMedia(url: string): Media | string {
  if (url.startsWith('s3://')) return { type: '', source: { s3Location: { uri: url } } }
  if (/^https?:/i.test(url)) return NO_FETCH
  if (!/^data:/i.test(url)) return { type: '', source: { bytes: url.replace(/\s+/g, '') } }
  const data = parseDataUrl(url)
  return data?.base64 === true
    ? { type: data.mediaType, source: { bytes: data.body } }
    : 'this upstream accepts only base64 data'
}

const formatIn = (formats: Readonly<Record<string, string>>, type: string, name: string): string | undefined =>
  lookup(formats, type) ?? lookup(formats, fileTypeOf(name) ?? '')

function encodeImage(url: string | null): EncodedPart {
  if (url === null) return loss('this upstream accepts only the data of an image, not its id')
  const media = readMedia(url)
  if (typeof media === 'string') return loss(media)
  const format = formatIn(IMAGE_FORMATS, media.type, url.startsWith('s3://') ? url : '')
  if (format === undefined) return loss('this upstream accepts only png, jpeg, gif and webp images')
  return { block: { image: { format, source: media.source } } }
}

function encodeFile(file: FilePart, names: DocumentNames): EncodedPart {
  const url = file.file_data ?? file.file_url
  if (url === null) return loss('this upstream accepts only the data of a file, not its id')
  const media = readMedia(url)
  if (typeof media === 'string') return loss(media)
  const name = file.filename ?? (url.startsWith('s3://') ? url : '')
  const image = formatIn(IMAGE_FORMATS, media.type, media.type === '' ? name : '')
  if (image !== undefined) return { block: { image: { format: image, source: media.source } } }
  const format = formatIn(DOCUMENT_FORMATS, media.type, name)
  if (format === undefined) return loss('this upstream does not accept files of this type')
  const citations = file.cited === true ? { citations: { enabled: true } } : {}
  return { block: { document: { format, name: names.get(file) ?? 'document', source: media.source, ...citations } } }
}

/** Encodes one part of a prompt or of an output. */
export function encodePart(part: InputPart, names: DocumentNames): EncodedPart {
  switch (part.type) {
    case 'input_text':
      return { block: { text: part.text } }
    case 'input_image':
      return encodeImage(part.image_url)
    case 'input_file':
      return encodeFile(part, names)
    case 'input_audio':
      return loss(NO_AUDIO)
  }
}
