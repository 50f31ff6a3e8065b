/**
 * Whether a `Content-Encoding` says that a body is compressed. `identity` means that it is not, in any case; some servers
 * send it, an empty value, or one in quotation marks, though RFC 9110 (8.4.1) reserves the word for requests.
 */
export const isCompressed = (encoding: string | undefined): boolean =>
  (encoding ?? '').split(',').some((coding) => !PLAIN.has(coding.replaceAll('"', '').trim().toLowerCase()))

const PLAIN: ReadonlySet<string> = new Set(['', 'identity'])
