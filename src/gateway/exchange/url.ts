import type { RequestHead } from './http-types.ts'

/** The path of a request as it was sent, without its query. The request target may be a whole URL (RFC 9112, 3.2.2). */
export function pathOf({ url = '' }: RequestHead): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const query = path.indexOf('?')
  return query < 0 ? path : path.slice(0, query)
}

/** The URL of a request. An invalid URL gives an empty path and no parameters. */
export const urlOf = ({ url = '' }: RequestHead): URL => {
  try {
    return new URL(url, 'http://localhost')
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
