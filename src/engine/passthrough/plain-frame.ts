import type { Frame } from '../../framing/frame.ts'

const [LF, CR] = [10, 13] as const

const PLAIN = /^(?:event: ([^\r\n]*)\r?\n)?data: /

const hasLineEnd = (text: string): boolean => text.includes('\n') || text.includes('\r')

/** The text without the line ends behind it. */
const withoutEnd = (text: string): string => {
  let end = text.length
  while (end > 0 && (text.charCodeAt(end - 1) === LF || text.charCodeAt(end - 1) === CR)) end -= 1
  return text.slice(0, end)
}

/** The frame in the text of a server-sent event of one line with data, after its name; null for any other. */
export function plainFrame(text: string): Frame | null {
  const found = PLAIN.exec(text)
  if (found === null) return null
  const data = withoutEnd(text.slice(found[0].length))
  return hasLineEnd(data) ? null : { event: found[1] ?? '', data }
}

export const isComment = (text: string): boolean =>
  text.split('\n').every((line) => line.trim() === '' || line.startsWith(':'))

/** Whether a frame is one line with data. */
export const isOneLine = (text: string): boolean => text.startsWith('data:') && !hasLineEnd(withoutEnd(text))
