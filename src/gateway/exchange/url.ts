import type { RequestHead } from './http-types.ts'

/** The path of a request as it was sent, without its query. The request target may be a whole URL (RFC 9112, 3.2.2). */
export function pathOf({ url = '' }: RequestHead): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const query = path.indexOf('?')
  return query < 0 ? path : path.slice(0, query)
}

/**
 * The path without empty segments, which clients write that join a base URL that ends with a slash: `//chat/completions`,
 * `/v1/chat/completions/`.
 */
export const withoutEmptySegments = (path: string): string => {
  const joined = path.replace(/\/{2,}/g, '/')
  return joined.length > 1 && joined.endsWith('/') ? joined.slice(0, -1) : joined
}

/** The URL of a request. An invalid URL gives an empty path and no parameters. */
export const urlOf = ({ url = '' }: RequestHead): URL => {
  try {
    // A path that begins with two slashes would be a host.
    return new URL(url.replace(/^\/{2,}/, '/'), 'http://localhost')
  } catch {
    return new URL('http://localhost/')
  }
}

/** Decodes the percent-encoding of a path; returns the text unchanged if it is invalid. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
