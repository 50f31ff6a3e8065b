import type { GatewayError } from '../protocol/error.ts'

/** An object, because a function would be two more objects of every call that waits for its answer. */
export interface CancelListener {
  onCancel(): void
}

/** Reports that the result is not needed any more. */
export interface CancellationSignal {
  readonly aborted: boolean
  /** The reason; null before the abort. */
  readonly reason: GatewayError | null
  /** Calls the listener at the abort, but not if the signal is aborted already. */
  listen(listener: CancelListener): void
  forget(listener: CancelListener): void
}

const NONE: readonly CancelListener[] = []

/**
 * An AbortController with a typed reason. Every request has one, and most are never aborted. The platform's signals are
 * event targets, which take much longer to create.
 */
export class Cancellation implements CancellationSignal {
  reason: GatewayError | null = null
  private listeners = NONE

  get aborted(): boolean {
    return this.reason !== null
  }

  listen(listener: CancelListener): void {
    // A list that grows has room for many more listeners.
    this.listeners = this.listeners.concat([listener])
  }

  forget(listener: CancelListener): void {
    this.listeners = this.listeners.filter((one) => one !== listener)
  }

  /** The first reason is kept. */
  abort(reason: GatewayError): void {
    if (this.reason !== null) return
    this.reason = reason
    for (const listener of this.listeners) listener.onCancel()
    this.listeners = NONE
  }
}
