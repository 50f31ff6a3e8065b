import type { GatewayError } from '../protocol/error.ts'

/** Tells that nobody waits any more. */
export interface Signal {
  readonly aborted: boolean
  /** Why; null as long as somebody waits. */
  readonly reason: GatewayError | null
  /** Calls it when the time comes; not at all where it has come already. */
  listen(listener: () => void): void
  forget(listener: () => void): void
}

/**
 * What an AbortController is to an AbortSignal, with a reason that has a type. Every request has one, and most hear
 * nothing of it: those of the platform are event targets, which take much longer to make.
 */
export class Abort implements Signal {
  reason: GatewayError | null = null
  private listeners: readonly (() => void)[] = []

  get aborted(): boolean {
    return this.reason !== null
  }

  listen(listener: () => void): void {
    this.listeners = [...this.listeners, listener]
  }

  forget(listener: () => void): void {
    this.listeners = this.listeners.filter((one) => one !== listener)
  }

  /** The first reason counts. */
  abort(reason: GatewayError): void {
    if (this.reason !== null) return
    this.reason = reason
    for (const listener of this.listeners) listener()
    this.listeners = []
  }
}
