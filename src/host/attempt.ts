import type { GatewayError } from '../protocol/error.ts'

/** What may fail for a reason that somebody must be told: failures are data here, exceptions are our own bugs. */
export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: GatewayError }

export const success = <T>(value: T): Attempt<T> => ({ ok: true, value })
export const failure = (error: GatewayError): { readonly ok: false; readonly error: GatewayError } => ({
  ok: false,
  error,
})
