/**
 * Whether a `Content-Encoding` means that a body is compressed. `identity` means in any case that it is not. Some
 * servers send `identity`, an empty value or a quoted one, although RFC 9110 (8.4.1) reserves `identity` for requests.
 */
export const isCompressed = (encoding: string | undefined): boolean =>
  (encoding ?? '').split(',').some((coding) => !PLAIN.has(coding.replaceAll('"', '').trim().toLowerCase()))

const PLAIN: ReadonlySet<string> = new Set(['', 'identity'])
