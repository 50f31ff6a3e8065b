import type { JsonObject } from '../../src/protocol/json.ts'
import type { ClientName } from './histories.ts'

/** Requests with images. */

/** The usual length of the base64 text of an image. */
export const IMAGE_SIZE = 512 * 1024

/** Base64 text of an image that is unlike every other image. */
const base64Of = (i: number, length: number): string =>
  `${String(i).padStart(4, '0')}iVBORw0KGgo+/A`.repeat(length / 16 + 1).slice(0, length)

const TEXT = 'What is in these images?'
const urlOf = (base64: string): string => `data:image/png;base64,${base64}`

const BODIES: Readonly<Record<ClientName, (images: readonly string[]) => JsonObject>> = {
  openai: (images) => ({
    model: 'm',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: TEXT },
          ...images.map((image) => ({ type: 'input_image', detail: 'auto', image_url: urlOf(image) })),
        ],
      },
    ],
  }),
  'openai-chat': (images) => ({
    model: 'm',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: TEXT },
          ...images.map((image) => ({ type: 'image_url', image_url: { url: urlOf(image) } })),
        ],
      },
    ],
  }),
  'anthropic-messages': (images) => ({
    model: 'm',
    max_tokens: 1000,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: TEXT },
          ...images.map((data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })),
        ],
      },
    ],
  }),
  'gemini-generate': (images) => ({
    contents: [
      {
        role: 'user',
        parts: [{ text: TEXT }, ...images.map((data) => ({ inlineData: { mimeType: 'image/png', data } }))],
      },
    ],
  }),
  'ollama-chat': (images) => ({ model: 'm', messages: [{ role: 'user', content: TEXT, images }] }),
}

/** The body of a client of this protocol with `count` images, each of `length` letters. */
export const imagesOf = (client: ClientName, count: number, length = IMAGE_SIZE): JsonObject =>
  BODIES[client](Array.from({ length: count }, (_, i) => base64Of(i, length)))
