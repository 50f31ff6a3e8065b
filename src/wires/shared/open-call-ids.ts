/** The ids of the calls of a conversation that have no result so far. */
export class OpenCallIds {
  // Most conversations of a few messages have no call.
  private ids: Set<unknown> | null = null

  get size(): number {
    return this.ids?.size ?? 0
  }

  /** False: a call with this id waits already. */
  add(id: unknown): boolean {
    this.ids ??= new Set()
    const { size } = this.ids
    return this.ids.add(id).size > size
  }

  /** False: no call with this id waits. */
  take(id: unknown): boolean {
    return this.ids?.delete(id) === true
  }
}
