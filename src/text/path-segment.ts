/**
 * One segment of a path, escaped; null where it would be another path: an empty one, `.` and `..` are taken away by whoever
 * reads the URL, escaped or not (URL Standard, 4.4). A lone surrogate becomes U+FFFD, as in any text that is encoded.
 */
export const escapeSegment = (segment: string): string | null =>
  segment === '' || segment === '.' || segment === '..'
    ? null
    : encodeURIComponent(segment.replace(/[\ud800-\udfff]/gu, '\ufffd'))

/** The same for segments with slashes between them; null where one of them is none. */
export function escapePath(path: string): string | null {
  const segments = path.split('/').map(escapeSegment)
  return segments.includes(null) ? null : segments.join('/')
}
