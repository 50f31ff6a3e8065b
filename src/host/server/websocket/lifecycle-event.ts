import type { JsonObject } from '../../../protocol/json.ts'
import { isObject, parseJson } from '../../../text/json.ts'
import type { CutEvent } from './event-cutter.ts'

/** An event with the response object in its present state. */
export interface LifecycleEvent {
  readonly type: string
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

/**
 * Reads an event with a response object; null for any other event, which is not parsed. Only the connection has stored
 * the response that a request continues, so that upstreams do not repeat its id: `previousId` takes the place of null.
 */
export function readLifecycleEvent({ name, json }: CutEvent, previousId: string | null): LifecycleEvent | null {
  const type = name === '' ? typeOf(json) : name
  if (!(previousId === null ? ENDS : LIFECYCLE).has(type)) return null
  const event = parseJson(Buffer.from(json).toString())
  if (!isObject(event) || !isObject(event.response)) return null
  const response = event.response as JsonObject
  if (previousId === null || response.previous_response_id !== null) return { type, json, response }
  const continued = { ...response, previous_response_id: previousId }
  return { type, json: Buffer.from(JSON.stringify({ ...event, response: continued })), response: continued }
}

/** The longest beginning of an event, in bytes, that is searched for its type. */
const LONGEST_TYPE = 256
const TYPE = /^\{\s*"type"\s*:\s*"([\w.-]+)"/

/** The type of an event that its stream does not name. Members before the type are unusual, and are parsed. */
function typeOf(json: Uint8Array): string {
  const [, name] = TYPE.exec(Buffer.from(json.subarray(0, LONGEST_TYPE)).toString('latin1')) ?? []
  if (name !== undefined) return name
  const event = parseJson(Buffer.from(json).toString())
  return isObject(event) && typeof event.type === 'string' ? event.type : ''
}
