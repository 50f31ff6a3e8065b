/** The ids of the calls of a conversation that have no result so far. */
export class OpenCallIds {
  private readonly ids = new Set<unknown>()

  get size(): number {
    return this.ids.size
  }

  /** False: a call with this id waits already. */
  add(id: unknown): boolean {
    const { size } = this.ids
    return this.ids.add(id).size > size
  }

  /** False: no call with this id waits. */
  take(id: unknown): boolean {
    return this.ids.delete(id)
  }
}
