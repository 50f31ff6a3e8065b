import type { Frame } from '../../src/framing/frame.ts'
import { isObject, parseJson } from '../../src/text/json.ts'

/** How a stream ended, by what its protocol's official clients read. A right stream has one end, in its last frames. */
export type End = 'complete' | 'failed' | 'nothing' | 'more after the end' | 'unreadable'

type Ends = (event: Record<string, unknown>, name: string) => 'complete' | 'failed' | null

const RESPONSES: Ends = ({ type, error }) => {
  if (type === 'response.failed') return 'failed'
  if (type === 'response.completed' || type === 'response.incomplete') return error ? 'failed' : 'complete'
  return null
}

const FAILED: ReadonlySet<unknown> = new Set(['failed', 'cancelled'])

/** Protocols with a last frame after the end. */
const WITH_DONE: ReadonlySet<string> = new Set(['openai-responses', 'gemini-interactions'])

/** The end of a stream by each of its events. */
const ENDS: Readonly<Record<string, Ends>> = {
  'openai-chat': ({ error }, name) => (error || name === 'error' ? 'failed' : null),
  // A name is required, and the library reads every event named `error` as a failure.
  'anthropic-messages': ({ type }, name) => {
    if (name === 'error') return 'failed'
    return type === 'message_stop' && name !== '' ? 'complete' : null
  },
  'gemini-generate': ({ error }) =>
    isObject(error) && typeof error.code === 'number' && error.code >= 400 && error.code < 600 ? 'failed' : null,
  'gemini-interactions': ({ event_type: type, interaction }) => {
    if (type !== 'interaction.completed') return null
    return isObject(interaction) && FAILED.has(interaction.status) ? 'failed' : 'complete'
  },
  'ollama-chat': (line) => ('error' in line ? 'failed' : line.done ? 'complete' : null),
  'openai-responses': RESPONSES,
}

/** All ends of a stream, in order. */
export function endsOf(wire: string, frames: readonly Frame[]): readonly End[] {
  const ends: End[] = []
  const isDone = ({ data }: Frame): boolean => data.trim() === '[DONE]'
  frames.forEach((frame, at) => {
    const last = ends.at(-1)
    if (isDone(frame)) {
      if (wire === 'openai-chat') ends.push(last === undefined ? 'complete' : 'more after the end')
      else if (!WITH_DONE.has(wire)) ends.push('unreadable')
      else if (last === undefined || at !== frames.length - 1) ends.push('more after the end')
      return
    }
    if (last !== undefined) ends.push('more after the end')
    const value = parseJson(frame.data)
    const end = isObject(value) ? ENDS[wire]?.(value, frame.event) : 'unreadable'
    if (end !== null && end !== undefined) ends.push(end)
  })
  if (WITH_DONE.has(wire) && !frames.some(isDone)) ends.push('unreadable')
  // Gemini has no last frame.
  if (ends.length === 0) ends.push(wire === 'gemini-generate' ? 'complete' : 'nothing')
  return ends
}
