import type { GatewayError } from './error.ts'

/** A result that is a value or a failure to report. Failures are data; exceptions are bugs of the gateway. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: GatewayError }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
export const err = (error: GatewayError): { readonly ok: false; readonly error: GatewayError } => ({
  ok: false,
  error,
})
