/** The distance from the end, in CSS pixels, at which a list still counts as being at its end. */
const NEAR_END = 44

/** Whether a list that grows stays scrolled to its end: until the user scrolls back, and again from the end on. */
export class EndFollower {
  follows = true
  private top = 0

  /** Reads the place of the list after it was scrolled, by the user or by a program. */
  update({ scrollTop, clientHeight, scrollHeight }: HTMLElement): void {
    const distance = scrollHeight - clientHeight - scrollTop
    // A list that has grown since is not at its end, although the user has not moved it: only the way back counts. A
    // box that has become higher moves its list back, too, but leaves it at its end.
    if (scrollTop < this.top - 1 && distance > 1) this.follows = false
    else if (distance <= NEAR_END) this.follows = true
    this.top = scrollTop
  }
}
