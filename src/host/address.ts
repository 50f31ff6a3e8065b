import type { IncomingMessage } from 'node:http'

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
