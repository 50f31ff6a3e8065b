import { isObject, parseJson } from '../../src/text/json.ts'

/** The answer that a client received. */
export interface Answered {
  readonly method: string
  /** Zero if there was no answer. */
  readonly status: number
  readonly type: string
  readonly text: string
  /** A failure of the transport, such as a broken connection. */
  readonly fault: string | null
  /** The client disconnected before the end. */
  readonly hasLeft: boolean
}

/**
 * The endings of streams by client API, selected by a part of the path. An error that ends a stream is an ending as
 * well.
 */
const ENDINGS: readonly (readonly [path: string, ends: (text: string) => boolean])[] = [
  ['/chat/completions', (text) => /data: \[DONE\]\s*$/.test(text) || lastData(text).includes('"error"')],
  ['/messages', (text) => /^event: (?:message_stop|error)$/m.test(lastFrame(text))],
  // The wait for what may follow a finish is filled with comments.
  ['alt=sse', (text) => text.trim() === '' || parseJson(lastData(withoutComments(text))) !== undefined],
  [':streamGenerateContent', (text) => Array.isArray(parseJson(text))],
  ['/api/chat', (text) => isLastLine(text)],
  ['/interactions', (text) => /data: \[DONE\]\s*$/.test(text)],
  ['/responses', (text) => /data: \[DONE\]\s*$/.test(text)],
]

const withoutComments = (text: string): string => text.replace(/(?<=\n\n):[^\n]*\n\n/g, '')

const lastFrame = (text: string): string => text.trimEnd().split('\n\n').at(-1) ?? ''

const lastData = (text: string): string => /^data: ?([^\n]*)/m.exec(lastFrame(text))?.[1] ?? ''

function isLastLine(text: string): boolean {
  const line = parseJson(text.trimEnd().split('\n').at(-1) ?? '')
  return isObject(line) && (line.done === true || 'error' in line)
}

/** Returns what is wrong with an answer, independent of the request, or null. */
export function faultIn({ method, status, type, text, fault, hasLeft }: Answered, path: string): string | null {
  if (fault !== null) return fault
  if (hasLeft) return null
  if (status === 500) return `status 500: ${text.slice(0, 300)}`
  if (method === 'HEAD') return text === '' ? null : `a body to HEAD: ${text.slice(0, 300)}`
  if (type.startsWith('text/plain')) return path.includes('/metrics') ? null : `a text: ${text.slice(0, 300)}`
  // A query does not change which answer a path has.
  if (type.startsWith('text/html')) return /^\/(?:\?|$)/.test(path) ? null : `a page: ${text.slice(0, 300)}`
  const isStream = type.startsWith('text/event-stream') || type.startsWith('application/x-ndjson')
  if (!isStream) return parseJson(text) === undefined ? `a body that is no JSON: ${text.slice(0, 300)}` : null
  const ends = ENDINGS.find(([part]) => path.includes(part))?.[1]
  // Passed frames have the line breaks of the upstream.
  return ends === undefined || ends(text.replace(/\r\n?/g, '\n'))
    ? null
    : `a stream without its ending: …${text.slice(-300)}`
}
