/** Joins all changes between two frames of the screen into one call of each listener. */
export class DrawLoop {
  private readonly listeners = new Set<() => void>()
  private isPending = false

  /** Draws with the next frame of the screen. */
  readonly request = (): void => {
    if (this.isPending) return
    this.isPending = true
    requestAnimationFrame(() => {
      this.isPending = false
      for (const draw of this.listeners) draw()
    })
  }

  /** Returns the function that removes the listener. */
  add(draw: () => void): () => void {
    this.listeners.add(draw)
    return () => void this.listeners.delete(draw)
  }
}
