import type { Dialect } from './dialects/dialect.ts'
import type { GatewayError } from './protocol/error.ts'
import type { JsonObject } from './protocol/json.ts'
import type { Limits } from './protocol/limits.ts'
import type { Head, ResponseStatus } from './protocol/response.ts'
import type { Usage } from './protocol/usage.ts'
import type { Quirks } from './wires/quirks.ts'
import type { Wire } from './wires/wire.ts'

export interface TranslateOptions {
  readonly wire: Wire
  readonly quirks?: Quirks
  readonly dialect: Dialect
  readonly head: Head
  readonly limits?: Limits
}

/** What became of a stream, for logs and metrics: never any content. */
export interface Outcome {
  readonly status: ResponseStatus
  readonly model: string
  readonly usage: Usage | null
  readonly error: GatewayError | null
  readonly losses: readonly string[]
}

/** One stream, upstream bytes to dialect bytes. No I/O. After `end` or `fail` it is over and gives nothing more. */
export interface Translation {
  receive(bytes: Uint8Array): Uint8Array
  end(): Uint8Array
  fail(error: GatewayError): Uint8Array
  readonly over: boolean
  outcome(): Outcome
}

export declare function translate(options: TranslateOptions): Translation

/** One whole answer, from a stream. */
export interface Collection {
  receive(bytes: Uint8Array): void
  end(): JsonObject
  fail(error: GatewayError): JsonObject
  outcome(): Outcome
}
