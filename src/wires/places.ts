import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'

/** What a family calls the places of a Responses request, by the beginning of their paths. `input` is its messages. */
export interface Places extends Readonly<Record<string, string>> {
  readonly input: string
}

/** The items of a conversation, and of each the index of the message that it came from. */
export interface Conversation {
  readonly items: readonly JsonObject[]
  readonly origins: readonly number[]
}

/** `perMessage`: what each message became. */
export const toConversation = (perMessage: readonly (readonly JsonObject[])[]): Conversation => ({
  items: perMessage.flat(),
  origins: perMessage.flatMap((items, at) => items.map(() => at)),
})

/** The longest row that a path begins with; what follows it is told as it is. */
function rename(path: string, places: Places): string {
  const rows = Object.keys(places).filter((row) => path.startsWith(row) && /^(?:$|[.[])/.test(path.slice(row.length)))
  const [row] = rows.sort((a, b) => b.length - a.length)
  return row === undefined ? path : places[row] + path.slice(row.length)
}

/** Of a place inside an item only the message is told: what stands in it has another shape there. */
function toOwnPlace(path: string, places: Places, origins: readonly number[]): string {
  const item = /^input\[(\d+)\]/.exec(path)
  if (item === null) return rename(path, places)
  const origin = origins[Number(item[1])]
  return origin === undefined ? places.input : `${places.input}[${origin}]`
}

/** The same failure, its place in the words of who asked. */
export function inOwnPlaces(error: GatewayError, places: Places, origins: readonly number[]): GatewayError {
  const { param, message } = error
  if (param === null) return error
  const place = toOwnPlace(param, places, origins)
  const begins = message.startsWith(`${param}:`)
  return { ...error, param: place, message: begins ? place + message.slice(param.length) : message }
}
