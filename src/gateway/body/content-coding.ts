import { upstreamError } from '../../protocol/error.ts'

/**
 * Whether a `Content-Encoding` means that a body is compressed. `identity` means in any case that it is not. Some
 * servers send `identity`, an empty value or a quoted one, although RFC 9110 (8.4.1) reserves `identity` for requests.
 */
export const isCompressed = (encoding: string | undefined): boolean =>
  encoding?.split(',').some((coding) => !PLAIN.has(coding.replaceAll('"', '').trim().toLowerCase())) ?? false

const PLAIN: ReadonlySet<string> = new Set(['', 'identity'])

/**
 * Returns the one content coding of a body, in lower case; empty if it has none. Several codings are one name, which no
 * decoder has.
 */
export const codingOf = (encoding: string | undefined): string =>
  isCompressed(encoding) ? (encoding ?? '').replaceAll('"', '').trim().toLowerCase() : ''

/** The answer of an upstream whose content coding this runtime does not decode. */
export const UNDECODABLE = upstreamError(
  'upstream_invalid',
  'The upstream sent an answer in a content coding that this server cannot decode, although the request accepts only identity (Accept-Encoding).',
)
