import { encodeEventStream } from '../../../src/framing/encode-event-stream.ts'
import { isNonEmptyString, isObject } from '../../../src/text/json.ts'

/**
 * Encodes an event stream from text that people can read and review: one line for each frame, `{"event": name, "data":
 * payload}`. A last line `{"cut": n}` removes the last n bytes, as a broken connection does.
 */
export function encodeTwin(text: string): Uint8Array {
  const lines: readonly unknown[] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  const cut = lines.reduce<number>(
    (most, line) => (isObject(line) && typeof line.cut === 'number' ? line.cut : most),
    0,
  )
  const messages = lines.flatMap((line) =>
    isObject(line) && isNonEmptyString(line.event)
      ? [encodeEventStream({ event: line.event, data: JSON.stringify(line.data) })]
      : [],
  )
  const bytes = Buffer.concat(messages)
  return new Uint8Array(bytes.subarray(0, bytes.length - cut))
}
