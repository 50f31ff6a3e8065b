import { dropped, type Loss } from '../../../protocol/loss.ts'
import type { InputPart } from '../../../protocol/request.ts'
import { mediaOf } from '../../shared/google/requests.ts'
import { PART_NAMES } from '../../shared/upstream/history-text.ts'
import type { RequestPart } from '../json.ts'

/** The encoded part, or the reason why it cannot be carried. */
type EncodedPart = { readonly part: RequestPart } | { readonly loss: string }

/** Encodes one part of a user message. */
export function encodePart(part: InputPart): EncodedPart {
  if (part.type === 'input_text') return { part: { text: part.text } }
  const media = mediaOf(part)
  if ('loss' in media) return media
  const { mimeType } = media
  return 'data' in media
    ? { part: { inlineData: { mimeType: media.mimeType, data: media.data } } }
    : { part: { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: media.uri } } }
}

/** Creates the note that replaces a part that cannot be carried, so that the model does not guess. */
export const missingPart = (part: InputPart): RequestPart => ({
  text: `[${PART_NAMES[part.type]}: it could not be passed on]`,
})

export const detailLoss = (part: InputPart, path: string): readonly Loss[] =>
  part.type === 'input_image' && part.detail !== null && part.detail !== 'auto'
    ? [dropped(`${path}.detail`, 'this upstream has no such setting for images')]
    : []
