import type { GatewayError } from '../protocol/error.ts'
import type { Attempt } from './attempt.ts'
import type { Signal } from './signal.ts'

/** What is asked of an upstream. */
export interface Call {
  /** All calls to one place share it: not to be changed. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** The upstream's own name of the model. */
  readonly model: string
  readonly stream: boolean
}

/** Hears the body of an answer: any number of `bytes`, then one `end` or one `fail`. */
export interface Reader {
  bytes(chunk: Uint8Array): void
  /** It keeps nothing of what `bytes` gives it: that may be written over. */
  readonly keepsNone?: boolean
  /** The reader of all that follows, once it is known. */
  readonly instead?: Reader | null
  end(): void
  fail(error: GatewayError): void
}

/** An answer whose head has come. Its body stands still until it is read; it must be read or aborted. */
export interface Answer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  read(reader: Reader): void
  pause(): void
  resume(): void
  /** Lets go of the upstream at once. The reader hears nothing more. */
  abort(): void
}

/**
 * Where upstream bytes come from. Resolves with the head of the answer, or with the reason why there is none; never
 * rejects. When `signal` aborts, the upstream is let go at once, and whoever waits hears the signal's reason.
 */
export type Source = (call: Call, signal: Signal) => Promise<Attempt<Answer>>
