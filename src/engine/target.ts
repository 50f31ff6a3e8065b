import { FORMATS } from '../framing/format.ts'
import { run } from '../machine/run.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Encoder } from './delta-encoder.ts'
import { createBodyEncoder, createEncoder } from './encoder.ts'
import type { Outcome } from './outcome.ts'
import {
  type BodyCollector,
  collectStream,
  streamBody,
  type TranslateOptions,
  type Translation,
  translate,
  translateBody,
} from './translate.ts'
import {
  collectTo,
  createClientBodyEncoder,
  createClientEncoder,
  formatOf,
  streamBodyTo,
  type TranslateToOptions,
  translateBodyTo,
  translateTo,
} from './translate-to-client.ts'

/** Writes one answer for its client. */
export interface Target {
  translation(): Translation
  collection(): BodyCollector
  /** For a response that consists of several upstream answers. */
  createEncoder(): Encoder<Uint8Array, Uint8Array>
  createBodyEncoder(): Encoder<void, JsonObject>
  /** Translates a whole upstream body to a whole body. */
  whole(body: string): { readonly response: JsonObject; readonly outcome: Outcome }
  /** Translates a whole upstream body to a stream, all at once. */
  streamed(body: string): { readonly bytes: Uint8Array; readonly outcome: Outcome }
  /** The content type of its streams. */
  readonly mediaType: string
  /** Written during silence; null if the client would treat any output as part of the answer. */
  readonly keepAlive: string | null
}

export const dialectTarget = (options: TranslateOptions): Target => ({
  translation: () => translate(options),
  collection: () => collectStream(options),
  createEncoder: () => createEncoder(options),
  createBodyEncoder: () => createBodyEncoder(options),
  whole: (body) => translateBody(options, body),
  streamed: (body) => streamBody(options, body),
  mediaType: FORMATS.sse.mediaType,
  keepAlive: FORMATS.sse.comment,
})

export function wireTarget(options: TranslateToOptions): Target {
  const { to, format = formatOf(to) } = options
  const { mediaType, comment, write } = FORMATS[format]
  const { keepAlive } = to.client
  return {
    translation: () => translateTo(options),
    collection: () => collectTo(options),
    createEncoder: () => createClientEncoder(options),
    createBodyEncoder: () => createClientBodyEncoder(options),
    whole: (body) => translateBodyTo(options, body),
    streamed: (body) => streamBodyTo(options, body),
    mediaType,
    // In a JSON array, a keep-alive message would count as an element of the answer.
    keepAlive: keepAlive === null || format === 'array' ? comment : run(write, [keepAlive]).join(''),
  }
}
