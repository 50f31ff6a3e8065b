/** The distance from the end, in CSS pixels, at which a list still counts as being at its end. */
const NEAR_END = 44

/** Whether a list that grows stays scrolled to its end: until the user scrolls back, and again from the end on. */
export class EndFollower {
  follows = true
  private top = 0

  /** Reads the place of the list after it was scrolled, by the user or by a program. */
  update({ scrollTop, clientHeight, scrollHeight }: HTMLElement): void {
    // A list that has grown since is not at its end, although the user has not moved it: only the way back counts.
    if (scrollTop < this.top - 1) this.follows = false
    else if (scrollTop + clientHeight >= scrollHeight - NEAR_END) this.follows = true
    this.top = scrollTop
  }
}
