/**
 * An id for a call without one: the wanted one, unless the client has given it to another call of the conversation. It
 * must be the same in every request of a conversation, so that it is no random one.
 */
export function freeCallId(wanted: string, given: ReadonlySet<unknown>): string {
  let id = wanted
  while (given.has(id)) id += '_'
  return id
}
