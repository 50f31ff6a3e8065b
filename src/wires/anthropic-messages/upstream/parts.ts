import { NO_AUDIO } from '../../../protocol/loss.ts'
import type { InputPart } from '../../../protocol/request.ts'
import { COMMON_IMAGES, fileText, fileTypeOf, parseDataUrl } from '../../shared/media-types.ts'
import type { PromptBlock } from '../json.ts'

type Part<T extends InputPart['type']> = Extract<InputPart, { readonly type: T }>

/** The block of a part, or the reason why it cannot be carried. */
type EncodedPart = { readonly block: PromptBlock } | { readonly loss: string }

const image = (mediaType: string, data: string): EncodedPart => ({
  block: { type: 'image', source: { type: 'base64', media_type: mediaType, data } },
})

function encodeImage({ image_url: url, file_id = '' }: Part<'input_image'>): EncodedPart {
  if (url === null) return { block: { type: 'image', source: { type: 'file', file_id } } }
  const data = parseDataUrl(url)
  if (data === null) {
    if (/^https?:\/\//i.test(url)) return { block: { type: 'image', source: { type: 'url', url } } }
    return { loss: 'this upstream accepts only http, https and data URLs' }
  }
  return data.base64 ? image(data.mediaType, data.body) : { loss: 'this upstream accepts only base64 data' }
}

/** Data without a `data:` prefix is base64, and the file name determines its type. */
const urlOf = (data: string, filename: string | null): string =>
  data.startsWith('data:') ? data : `data:${fileTypeOf(filename ?? '') ?? 'application/pdf'};base64,${data}`

function encodeFile({ filename, file_data, file_url, file_id, cited }: Part<'input_file'>): EncodedPart {
  const about = {
    ...(filename === null ? {} : { title: filename }),
    ...(cited === true ? { citations: { enabled: cited } } : {}),
  }
  if (file_data === null) {
    if (file_url !== null) return { block: { type: 'document', source: { type: 'url', url: file_url }, ...about } }
    return { block: { type: 'document', source: { type: 'file', file_id: file_id ?? '' }, ...about } }
  }
  const url = urlOf(file_data, filename)
  const data = parseDataUrl(url)
  if (data?.mediaType === 'application/pdf' && data.base64) {
    const source = { type: 'base64', media_type: data.mediaType, data: data.body } as const
    return { block: { type: 'document', source, ...about } }
  }
  if (data?.base64 === true && COMMON_IMAGES.includes(data.mediaType)) return image(data.mediaType, data.body)
  const text = fileText(url)
  if (text === null || text.trim() === '') {
    return {
      loss: `this upstream does not accept files of type ${data?.mediaType || 'unknown'}, or the file has no text`,
    }
  }
  const source = { type: 'text', media_type: 'text/plain', data: text } as const
  return { block: { type: 'document', source, ...about } }
}

/** Encodes one part of a prompt, or of a tool's output. */
export function encodePart(part: InputPart): EncodedPart {
  switch (part.type) {
    case 'input_text':
      return part.reference === undefined
        ? { block: { type: 'text', text: part.text } }
        : { block: { type: 'tool_reference', tool_name: part.reference } }
    case 'input_image':
      return encodeImage(part)
    case 'input_file':
      return encodeFile(part)
    case 'input_audio':
      return { loss: NO_AUDIO }
  }
}
