/** A longer payload is shown only in part. */
const LONGEST_DATA = 100_000

/** A frame as text: its event, and its payload, indented if it is JSON. */
export function shownFrame(event: string, data: string): string {
  const text =
    data.length > LONGEST_DATA ? `${data.slice(0, LONGEST_DATA)}… (${data.length} characters)` : indented(data)
  return event === '' ? text : `event: ${event}\n${text}`
}

function indented(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data), null, 2)
  } catch {
    return data
  }
}
