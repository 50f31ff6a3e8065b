import { isObject, parseJson } from '../../../text/json.ts'
import { describePacked } from '../../../text/packed-file.ts'

interface NoticeProps {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Explains why no wire was found in the bytes, and shows their beginning. */
export function UnknownRecording({ name, bytes }: NoticeProps) {
  const text = beginningOf(bytes)
  return (
    <div class="compare-notice">
      <h2>No wire found in {name}</h2>
      <p>{explainUnknown(bytes)}</p>
      {text !== '' && <pre>{text}</pre>}
    </div>
  )
}

/** Files that are no recordings, by their first characters. */
const OTHER_FILES: readonly (readonly [begin: RegExp, reason: string])[] = [
  [
    /^\s*<(?:!doctype|html|head|body)/i,
    'This is an HTML page, such as the error page of a proxy, not a provider response.',
  ],
  [/^HTTP\/\d/, 'The file begins with the headers of a response. Remove them: a recording has only the body.'],
]

/** Members that only bodies of requests have. */
const OF_REQUESTS = ['messages', 'contents', 'input', 'prompt']

/** Returns the probable reason why the bytes belong to no wire, with the remedy. */
function explainUnknown(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'The recording is empty.'
  const packed = describePacked(bytes)
  if (packed !== null) return `The file ${packed}`
  const begin = new TextDecoder('latin1').decode(bytes.subarray(0, 256))
  const known = OTHER_FILES.find(([pattern]) => pattern.test(begin))
  if (known !== undefined) return known[1]
  const body = bytes.length > LARGEST_REQUEST ? undefined : parseJson(new TextDecoder().decode(bytes))
  if (isObject(body) && OF_REQUESTS.some((member) => member in body)) {
    return 'This is the body of a request. The view Explain shows what becomes of it.'
  }
  if (isBinary(textOf(bytes)))
    return 'The bytes are neither text nor an AWS event stream. They may be compressed with brotli, which has no signature: record with curl --compressed.'
  return 'None of its objects looks like a response in a known protocol. If the bytes are damaged, choose the wire above.'
}

const LARGEST_REQUEST = 4 * 1024 * 1024
const SHOWN_TEXT = 1_200
const SHOWN_BYTES = 64

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes.subarray(0, SHOWN_TEXT), { stream: true })

/** Returns the first characters; the first bytes in hexadecimal notation where they are no text. */
function beginningOf(bytes: Uint8Array): string {
  const text = textOf(bytes)
  if (!isBinary(text)) return bytes.length > SHOWN_TEXT ? `${text} …` : text
  const shown = Array.from(bytes.subarray(0, SHOWN_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return bytes.length > SHOWN_BYTES ? `${shown} …` : shown
}

/** Whether there are control characters that no text has, or bytes that are not UTF-8. */
const isBinary = (text: string): boolean =>
  Array.from(text).some((char) => char === '\ufffd' || (char < ' ' && !'\t\n\v\f\r\u001b'.includes(char)))
