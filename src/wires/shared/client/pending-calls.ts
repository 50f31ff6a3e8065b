/** A call of a history: the id of its item in the Responses request, and the name of its function. */
export interface UnmatchedCall {
  readonly id: string
  readonly name: string
}

/** The calls of a history that have no output yet, in the order in which they were made. */
export interface UnmatchedCalls {
  add(call: UnmatchedCall): void
  /** Each of these takes the first matching call; undefined if there is none. */
  takeById(id: string): UnmatchedCall | undefined
  takeByName(name: string): UnmatchedCall | undefined
  takeFirst(): UnmatchedCall | undefined
}

/**
 * Calls in the order in which they were made. Calls before `next` are taken; a later call may have been taken through
 * another queue.
 */
interface Queue {
  readonly calls: UnmatchedCall[]
  next: number
}

/**
 * Each call is in three queues and leaves each of them once: O(1) for a call and its output, amortised over a whole
 * history.
 */
export function createUnmatchedCalls(): UnmatchedCalls {
  const all: Queue = { calls: [], next: 0 }
  const byId = new Map<string, Queue>()
  const byName = new Map<string, Queue>()
  const taken = new Set<UnmatchedCall>()

  const append = (queues: Map<string, Queue>, key: string, call: UnmatchedCall): void => {
    const queue = queues.get(key)
    if (queue === undefined) queues.set(key, { calls: [call], next: 0 })
    else queue.calls.push(call)
  }
  const take = (queue: Queue | undefined): UnmatchedCall | undefined => {
    while (queue !== undefined && queue.next < queue.calls.length) {
      const call = queue.calls[queue.next] as UnmatchedCall
      queue.next += 1
      if (taken.has(call)) continue
      taken.add(call)
      return call
    }
    return undefined
  }

  return {
    add({ id, name }) {
      const call = { id, name }
      all.calls.push(call)
      append(byId, id, call)
      append(byName, name, call)
    },
    takeById: (id) => take(byId.get(id)),
    takeByName: (name) => take(byName.get(name)),
    takeFirst: () => take(all),
  }
}
