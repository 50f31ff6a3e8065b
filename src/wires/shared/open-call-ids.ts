/** As many calls as an answer has at most, as a rule. */
const FEW = 16

/** The ids of the calls of a conversation that have no result so far. */
export class OpenCallIds {
  private readonly few: unknown[] = []
  private many: Set<unknown> | null = null

  get size(): number {
    return this.many?.size ?? this.few.length
  }

  /** False: a call with this id waits already. */
  add(id: unknown): boolean {
    const { few, size } = this
    if (this.many === null && size < FEW) {
      if (few.includes(id)) return false
      few.push(id)
      return true
    }
    this.many ??= new Set(few)
    this.many.add(id)
    return this.size > size
  }

  /** False: no call with this id waits. */
  take(id: unknown): boolean {
    if (this.many !== null) return this.many.delete(id)
    const at = this.few.indexOf(id)
    if (at < 0) return false
    this.few.splice(at, 1)
    return true
  }
}
