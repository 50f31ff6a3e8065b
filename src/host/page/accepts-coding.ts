/**
 * Whether a client accepts this content coding, by its header `Accept-Encoding` (RFC 9110, 12.5.3). A weight of zero
 * refuses a coding; other weights are not compared. Without a header, only the identity is sent.
 */
export function acceptsCoding(header: string | undefined, coding: string): boolean {
  const rows = (header ?? '').split(',').map((row) => row.split(';').map((word) => word.trim().toLowerCase()))
  const row = rows.find(([name]) => name === coding) ?? rows.find(([name]) => name === '*')
  return row !== undefined && !row.slice(1).some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
}
