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
