import { findDialect } from '../../dialects/registry.ts'
import type { Target } from '../../engine/target.ts'
import type { RequestHead } from './http-types.ts'

/**
 * Codex ends a turn after 300 seconds without an event, and comments are none (`stream_idle_timeout_ms` of its
 * providers). It ignores events of unknown types. Other clients do not: openai-node throws at this one.
 */
export const countsEvents = ({ headers }: RequestHead): boolean => /^codex/i.test(String(headers['user-agent'] ?? ''))

const QUOTE = 34
const ZERO = 48
const MEMBER = new TextEncoder().encode('"sequence_number":')

const matchesAt = (bytes: Uint8Array, at: number): boolean => MEMBER.every((byte, i) => bytes[at + i] === byte)

/** The digits at this place as a number; null if there are none. */
function numberAt(bytes: Uint8Array, start: number): number | null {
  let at = start
  let number = 0
  for (;;) {
    const digit = (bytes[at] ?? QUOTE) - ZERO
    if (digit < 0 || digit > 9) return at === start ? null : number
    number = number * 10 + digit
    at += 1
  }
}

/** Finds the number of the last event. A quote inside of a string has a backslash before it, and the member has not. */
function lastNumberIn(frames: Uint8Array): number | null {
  for (let at = frames.length - MEMBER.length; at >= 0; at -= 1) {
    if (frames[at] !== QUOTE || !matchesAt(frames, at)) continue
    const number = numberAt(frames, at + MEMBER.length)
    if (number !== null) return number
  }
  return null
}

/** The events that fill the silence of one stream of responses, as OpenAI sends them. */
export class KeepAliveEvents {
  private last = 0

  /** Notes the numbers of the frames that are written. An event of a keep-alive repeats the last one. */
  note(frames: Uint8Array): void {
    this.last = lastNumberIn(frames) ?? this.last
  }

  json(): string {
    return `{"type":"keepalive","sequence_number":${this.last}}`
  }

  frame(): string {
    return `event: keepalive\ndata: ${this.json()}\n\n`
  }
}

/** The form of a stream, by its target and its client. */
export interface StreamForm extends Pick<Target, 'format' | 'keepAlive'> {
  /** Fills the silence in place of `keepAlive`. */
  readonly events?: KeepAliveEvents | null
}

export const streamFormOf = (request: RequestHead, target: Target): StreamForm =>
  countsEvents(request) && findDialect(target.name) !== undefined
    ? { format: target.format, keepAlive: target.keepAlive, events: new KeepAliveEvents() }
    : target
