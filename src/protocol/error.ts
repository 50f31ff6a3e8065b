import { usualStatus } from './error-codes.ts'

/** The party that caused a failure. It decides status, message and log level. */
export type Party = 'client' | 'upstream' | 'gateway'

/**
 * A failure as data. `code` is the machine-readable code for clients (`invalid_prompt`, `rate_limit_exceeded`,
 * `server_error` …). `status` is the HTTP status of the answer if none of its bytes has been sent.
 */
export interface GatewayError {
  readonly party: Party
  readonly code: string
  readonly message: string
  readonly status: number
  /** The path of the value in the request, e.g. `input[3].content[0].text`. */
  readonly param: string | null
  /** Seconds after which a retry may succeed: from `Retry-After`, or from another part of the answer of the upstream. */
  readonly retryAfter: number | null
  /** The limit of the account at its vendor. Left out: unknown. */
  readonly limit?: AccountLimit | undefined
  /** An exception of a program, on its way to the outcome. No client and no log receives it. */
  readonly cause?: string
}

/** A failure with what was thrown, if anything was. `at`: with the place in the code. */
export function withCause(error: GatewayError, thrown: unknown, at = false): GatewayError {
  if (thrown === undefined) return error
  const { cause, stack } = (thrown ?? {}) as { readonly cause?: unknown; readonly stack?: unknown }
  const inner = cause === undefined ? '' : `: ${String((cause as Partial<Error> | null)?.message ?? cause)}`
  const places = at && typeof stack === 'string' ? stack.split('\n').filter((line) => /^ +at /.test(line)) : []
  return { ...error, cause: [`${String(thrown)}${inner}`, ...places.slice(0, 1)].join('') }
}

/** The members of an error of ChatGPT's that its own client reads: the plan, and when it may be used again. */
export interface AccountLimit {
  readonly type: 'usage_limit_reached'
  readonly plan_type?: string
  /** Seconds since 1970. */
  readonly resets_at?: number
  readonly resets_in_seconds?: number
}

export const clientError = (
  code: string,
  message: string,
  param: string | null = null,
  status = usualStatus(code, 400),
): GatewayError => ({
  party: 'client',
  code,
  message,
  status,
  param,
  retryAfter: null,
})

export const upstreamError = (
  code: string,
  message: string,
  status = 502,
  retryAfter: number | null = null,
): GatewayError => ({
  party: 'upstream',
  code,
  message,
  status,
  param: null,
  retryAfter,
})

export const gatewayError = (code: string, message: string, status = 500): GatewayError => ({
  party: 'gateway',
  code,
  message,
  status,
  param: null,
  retryAfter: null,
})
