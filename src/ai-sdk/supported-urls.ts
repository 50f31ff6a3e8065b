import type { NamedTranslator } from '../api/named-translator.ts'
import type { JsonObject } from '../protocol/json.ts'
import { isUnsent, toFilePart } from './files.ts'

/** A small picture, document and video, whose bytes are those of their beginnings. */
const SAMPLES = [
  { kind: 'image/*', mediaType: 'image/png', data: 'iVBORw0KGgo=', ending: 'png' },
  { kind: 'application/pdf', mediaType: 'application/pdf', data: 'JVBERi0xLjQK', ending: 'pdf' },
  { kind: 'video/*', mediaType: 'video/mp4', data: 'AAAAGGZ0eXBpc29t', ending: 'mp4' },
] as const

const SCHEMES = ['https', 'http', 's3', 'gs'] as const

const addressOf = (scheme: string, ending: string): string => `${scheme}://files.example/supported-url.${ending}`

/**
 * The files that a model accepts by their URL. The encoder of its wire decides: one request with a file of each kind, as
 * data and by each scheme, shows what arrives in its body. A kind that does not arrive as data has no URL either.
 */
export function supportedUrls(
  translator: NamedTranslator,
  { modelId, wire }: { readonly modelId: string; readonly wire: string },
): Record<string, RegExp[]> {
  const upstream = { providers: [], wire }
  const parts = SAMPLES.flatMap(({ mediaType, data, ending }): JsonObject[] =>
    [data, ...SCHEMES.map((scheme) => new URL(addressOf(scheme, ending)))].flatMap((source) => {
      const made = toFilePart({ data: source, mediaType }, upstream)
      return isUnsent(made) ? [] : [made]
    }),
  )
  const call = translator.encodeRequest({ model: modelId, input: [{ role: 'user', content: parts }] })
  if (!call.ok) return {}
  const sent = JSON.stringify(call.body)
  return Object.fromEntries(
    SAMPLES.flatMap(({ kind, data, ending }) => {
      const schemes = SCHEMES.filter((scheme) => sent.includes(addressOf(scheme, ending)))
      return schemes.length === 0 || !sent.includes(data) ? [] : [[kind, schemes.map((scheme) => PATTERNS[scheme])]]
    }),
  )
}

const PATTERNS: Readonly<Record<(typeof SCHEMES)[number], RegExp>> = {
  https: /^https:/,
  http: /^http:/,
  s3: /^s3:/,
  gs: /^gs:/,
}
