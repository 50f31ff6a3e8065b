/**
 * One escaped segment of a URL path; null if the segment would change the path: URL parsers remove `.` and `..`,
 * escaped or not (URL Standard, 4.4), and an empty segment is no segment. A lone surrogate becomes U+FFFD, as in any
 * encoded text.
 */
export const escapeSegment = (segment: string): string | null =>
  segment === '' || segment === '.' || segment === '..'
    ? null
    : encodeURIComponent(segment.replace(/[\ud800-\udfff]/gu, '\ufffd'))

/** Escapes segments separated by slashes; null if one of them is invalid. */
export function escapePath(path: string): string | null {
  const segments = path.split('/').map(escapeSegment)
  return segments.includes(null) ? null : segments.join('/')
}
