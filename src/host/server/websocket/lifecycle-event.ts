import type { JsonObject } from '../../../protocol/json.ts'
import { isObject, parseJson } from '../../../text/json.ts'
import type { CutEvent } from './event-cutter.ts'

/** An event with the response object in its present state. */
interface LifecycleEvent {
  /** The event as it is sent. */
  readonly json: Uint8Array
  readonly response: JsonObject
}

const LIFECYCLE: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.completed',
  'response.incomplete',
  'response.failed',
])
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

export const endsResponse = (type: string): boolean => ENDS.has(type)

/** The values of a response over a socket that replace those of its stream. */
interface Replacements {
  /** Only the connection has stored the response that a request continues: its id takes the place of null. */
  readonly previousId: string | null
  /** The number of events before this one that are not sent. */
  readonly unsent: number
}

/** Reads an event with a response object; null for any other event, which is not parsed. */
export function readLifecycleEvent(
  type: string,
  json: Uint8Array,
  { previousId, unsent }: Replacements,
): LifecycleEvent | null {
  if (!(previousId === null ? ENDS : LIFECYCLE).has(type)) return null
  const event = parseJson(Buffer.from(json).toString())
  if (!isObject(event) || !isObject(event.response)) return null
  const { response, sequence_number: number, ...members } = event as JsonObject & { readonly response: JsonObject }
  const isContinued = previousId !== null && response.previous_response_id === null
  if (!isContinued && unsent === 0) return { json, response }
  const sent = isContinued ? { ...response, previous_response_id: previousId } : response
  const numbered = typeof number === 'number' ? { sequence_number: number - unsent } : {}
  return { json: Buffer.from(JSON.stringify({ ...members, ...numbered, response: sent })), response: sent }
}

/** The longest beginning of an event, in bytes, that is searched for its type. */
const LONGEST_TYPE = 256
const TYPE = /^\{\s*"type"\s*:\s*"([\w.-]+)"/

/** Not every stream names its events. Members before the type are unusual, and are parsed. */
export function typeOfEvent({ name: given, json }: CutEvent): string {
  if (given !== '') return given
  const [, name] = TYPE.exec(Buffer.from(json.subarray(0, LONGEST_TYPE)).toString('latin1')) ?? []
  if (name !== undefined) return name
  const event = parseJson(Buffer.from(json).toString())
  return isObject(event) && typeof event.type === 'string' ? event.type : ''
}
