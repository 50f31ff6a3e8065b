/** The pauses of lanes, and of texts and lists, in milliseconds: each second and each fourth frame of a usual screen. */
export const LANES_PAUSE_MS = 30
export const LIST_PAUSE_MS = 60

interface Listener {
  readonly draw: () => void
  /** The shortest time between two calls, in milliseconds. */
  readonly pause: number
  drawn: number
}

/**
 * Joins all changes between two frames of the screen into one call of each listener. Text and lists change less often
 * than the screen, because their layout costs more than all the rest.
 */
export class DrawLoop {
  private readonly listeners = new Set<Listener>()
  private isPending = false

  /** Draws with the next frame of the screen. */
  readonly request = (): void => {
    if (this.isPending) return
    this.isPending = true
    requestAnimationFrame((time) => {
      this.isPending = false
      for (const listener of this.listeners) this.callListener(listener, time)
    })
  }

  private callListener(listener: Listener, time: number): void {
    // A listener that must wait is called with a later frame, so that it draws the last change, too.
    if (time - listener.drawn < listener.pause) this.request()
    else {
      listener.drawn = time
      listener.draw()
    }
  }

  /** Returns the function that removes the listener. */
  add(draw: () => void, pause = 0): () => void {
    const listener: Listener = { draw, pause, drawn: Number.NEGATIVE_INFINITY }
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
}
