import { dropped, type Loss, mapped } from '../../../protocol/loss.ts'
import type { InputPart } from '../../../protocol/request.ts'
import type { Origins } from '../../origins.ts'
import { mediaOf } from '../../shared/google/requests.ts'
import { missingPartText } from '../../shared/upstream/history-text.ts'
import type { InteractionContent, MediaContent } from '../json.ts'

interface EncodedContents {
  readonly contents: readonly InteractionContent[]
  readonly losses: readonly Loss[]
}

type Kind = MediaContent['type']

const KINDS: readonly Kind[] = ['image', 'audio', 'video']

/** The type of a content by its media type. Text files and PDFs are documents. */
const kindOf = (mimeType: string | undefined, otherwise: Kind): Kind =>
  mimeType === undefined ? otherwise : (KINDS.find((kind) => mimeType.startsWith(`${kind}/`)) ?? 'document')

const OTHERWISE = { input_image: 'image', input_file: 'document', input_audio: 'audio' } as const

const RESOLUTIONS: ReadonlySet<string> = new Set(['low', 'high'])

const LOST: readonly Loss[] = []

function lossesOf(part: InputPart, path: string): readonly Loss[] {
  if (part.type !== 'input_image' || part.detail === null || part.detail === 'auto') return LOST
  return RESOLUTIONS.has(part.detail) ? LOST : [mapped(`${path}.detail`, 'sent as the usual resolution')]
}

function encodePart(
  part: InputPart,
  path: string,
): { readonly content: InteractionContent; readonly losses: readonly Loss[] } {
  if (part.type === 'input_text') return { content: { type: 'text', text: part.text }, losses: LOST }
  const media = mediaOf(part)
  if ('loss' in media)
    return { content: { type: 'text', text: missingPartText(part) }, losses: [dropped(path, media.loss)] }
  const { mimeType } = media
  const detail =
    part.type === 'input_image' && part.detail !== null && RESOLUTIONS.has(part.detail) ? part.detail : null
  const content: MediaContent = {
    type: kindOf(mimeType, OTHERWISE[part.type]),
    ...('data' in media ? { data: media.data } : { uri: media.uri }),
    ...(mimeType === undefined ? {} : { mime_type: mimeType }),
    ...(detail === null ? {} : { resolution: detail }),
  }
  return { content, losses: lossesOf(part, path) }
}

/** Encodes the parts of a message or of an output. Google rejects an empty text, so it is left out. */
export function encodeParts(parts: readonly InputPart[], path: string, origins?: Origins): EncodedContents {
  const encoded = parts.map((part, at) => {
    const own = encodePart(part, `${path}[${at}]`)
    origins?.add(own.content, `${path}[${at}]`)
    return own
  })
  return {
    contents: encoded.flatMap(({ content }) => (content.type === 'text' && content.text === '' ? [] : [content])),
    losses: encoded.flatMap(({ losses }) => losses),
  }
}
