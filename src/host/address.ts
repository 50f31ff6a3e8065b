import type { IncomingMessage } from 'node:http'

/** The path of a request as it was sent, without its query. A target may be a whole URL (RFC 9112, 3.2.2). */
export const pathOf = ({ url = '' }: IncomingMessage): string =>
  url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] ?? ''

/** The address of a request; one that cannot be read has no path and no parameters. */
export const urlOf = ({ url = '' }: IncomingMessage): URL => {
  try {
    return new URL(url, 'http://localhost')
  } catch {
    return new URL('http://localhost/')
  }
}

/** What stands in a path; where it is not escaped rightly, as it stands. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
