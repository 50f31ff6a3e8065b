import type { JsonObject } from '../../../protocol/json.ts'
import { isAbsent, nameAt, type RequestReader, readListAt, textAt } from '../../shared/client/request-reader.ts'

/** The first characters of the base64 data of each type of image. */
const KINDS: readonly (readonly [start: string, kind: string])[] = [
  ['/9j/', 'jpeg'],
  ['iVBORw', 'png'],
  ['R0lGOD', 'gif'],
  ['UklGR', 'webp'],
]

/** Ollama's images are base64 without a prefix; several clients send the prefix of a data URL nevertheless. */
function toImageUrl(image: string): string {
  if (image.startsWith('data:')) return image
  const kind = KINDS.find(([start]) => image.startsWith(start))?.[1] ?? 'png'
  return `data:image/${kind};base64,${image}`
}

/** The paths of decoded parts. */
export function contentPaths(parts: readonly JsonObject[], path: string): readonly string[] {
  const texts = parts.filter(({ type }) => type === 'input_text').length
  return parts.map((_, i) => (i < texts ? `${path}.content` : `${path}.images[${i - texts}]`))
}

/** Decodes the text and the images of a message. */
export function decodeContent(
  { content, images }: { readonly content?: unknown; readonly images?: unknown },
  path: string,
  notes: RequestReader,
): readonly JsonObject[] {
  const text = isAbsent(content) ? '' : textAt(notes, `${path}.content`, content)
  const shown = isAbsent(images) ? [] : readListAt(notes, `${path}.images`, images)
  const pictures = shown.map((image, i) => toImageUrl(nameAt(notes, `${path}.images[${i}]`, image)))
  return [
    ...(text === '' && pictures.length > 0 ? [] : [{ type: 'input_text', text }]),
    ...pictures.map((image_url) => ({ type: 'input_image', image_url })),
  ]
}
