import type { GatewayError } from '../protocol/error.ts'

/** Reports that the result is not needed any more. */
export interface CancellationSignal {
  readonly aborted: boolean
  /** The reason; null before the abort. */
  readonly reason: GatewayError | null
  /** Calls the listener at the abort, but not if the signal is aborted already. */
  listen(listener: () => void): void
  forget(listener: () => void): void
}

/**
 * An AbortController with a typed reason. Every request has one, and most are never aborted. The platform's signals are
 * event targets, which take much longer to create.
 */
export class Cancellation implements CancellationSignal {
  reason: GatewayError | null = null
  private listeners: readonly (() => void)[] = []

  get aborted(): boolean {
    return this.reason !== null
  }

  listen(listener: () => void): void {
    // A list that grows has room for many more listeners.
    this.listeners = this.listeners.length === 0 ? [listener] : [...this.listeners, listener]
  }

  forget(listener: () => void): void {
    this.listeners = this.listeners.filter((one) => one !== listener)
  }

  /** The first reason is kept. */
  abort(reason: GatewayError): void {
    if (this.reason !== null) return
    this.reason = reason
    for (const listener of this.listeners) listener()
    this.listeners = []
  }
}
