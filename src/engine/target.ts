import { FORMATS } from '../framing/format.ts'
import { run } from '../machine/run.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Telling } from './delta-encoder.ts'
import { tell, tellWhole } from './encoder.ts'
import type { Outcome } from './outcome.ts'
import {
  type Collection,
  collectStream,
  streamBody,
  type TranslateOptions,
  type Translation,
  translate,
  translateBody,
} from './translate.ts'
import {
  collectTo,
  formatOf,
  streamBodyTo,
  type TranslateToOptions,
  tellTo,
  tellWholeTo,
  translateBodyTo,
  translateTo,
} from './translate-to-client.ts'

/** Writes one answer for its client. */
export interface Voice {
  translation(): Translation
  collection(): Collection
  /** For a response that consists of several upstream answers. */
  telling(): Telling<Uint8Array, Uint8Array>
  tellingWhole(): Telling<void, JsonObject>
  /** Translates a whole upstream body to a whole body. */
  whole(body: string): { readonly response: JsonObject; readonly outcome: Outcome }
  /** Translates a whole upstream body to a stream, all at once. */
  streamed(body: string): { readonly bytes: Uint8Array; readonly outcome: Outcome }
  /** The content type of its streams. */
  readonly mediaType: string
  /** Written during silence; null if the client would treat any output as part of the answer. */
  readonly keepAlive: string | null
}

export const inDialect = (options: TranslateOptions): Voice => ({
  translation: () => translate(options),
  collection: () => collectStream(options),
  telling: () => tell(options),
  tellingWhole: () => tellWhole(options),
  whole: (body) => translateBody(options, body),
  streamed: (body) => streamBody(options, body),
  mediaType: FORMATS.sse.mediaType,
  keepAlive: FORMATS.sse.comment,
})

export function inWire(options: TranslateToOptions): Voice {
  const { to, format = formatOf(to) } = options
  const { mediaType, comment, write } = FORMATS[format]
  const { keepAlive } = to.client
  return {
    translation: () => translateTo(options),
    collection: () => collectTo(options),
    telling: () => tellTo(options),
    tellingWhole: () => tellWholeTo(options),
    whole: (body) => translateBodyTo(options, body),
    streamed: (body) => streamBodyTo(options, body),
    mediaType,
    // In a JSON array, a keep-alive message would count as an element of the answer.
    keepAlive: keepAlive === null || format === 'array' ? comment : run(write, [keepAlive]).join(''),
  }
}
