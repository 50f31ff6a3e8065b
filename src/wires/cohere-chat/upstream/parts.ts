import { NO_AUDIO, NO_IMAGE_IDS } from '../../../protocol/loss.ts'
import type { InputPart } from '../../../protocol/request.ts'
import { fileText } from '../../shared/media-types.ts'
import type { CohereDocument, CoherePart } from '../json.ts'

type FilePart = Extract<InputPart, { readonly type: 'input_file' }>

/** The encoded part, or the reason why it cannot be carried. */
type EncodedPart = { readonly part: CoherePart } | { readonly document: CohereDocument } | { readonly loss: string }

function encodeFile(file: FilePart): EncodedPart {
  const text = fileText(file.file_data ?? '')
  if (text === null) return { loss: 'this upstream accepts only text files, with their data' }
  return { document: { data: file.filename === null ? { text } : { title: file.filename, text } } }
}

function encodeImage(url: string | null, detail: string | null): EncodedPart {
  if (url === null) return { loss: NO_IMAGE_IDS }
  // Cohere has no `original`; `high` is the nearest value.
  const wanted = detail === 'original' ? 'high' : detail
  return { part: { type: 'image_url', image_url: wanted === null ? { url } : { url, detail: wanted } } }
}

/** Encodes one part of a prompt or of a tool's output. */
export function encodePart(part: InputPart): EncodedPart {
  switch (part.type) {
    case 'input_text':
      return { part: { type: 'text', text: part.text } }
    case 'input_image':
      return encodeImage(part.image_url, part.detail)
    case 'input_file':
      return encodeFile(part)
    case 'input_audio':
      return { loss: NO_AUDIO }
  }
}
