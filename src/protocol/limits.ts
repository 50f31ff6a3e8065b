const MiB = 1024 * 1024

/** Every bound of the engine and its server, in one place. Sizes are in bytes, or UTF-16 units where text is counted. */
export interface Limits {
  /** One event, line or frame of an upstream stream. */
  readonly upstreamEvent: number
  /** One whole upstream stream or body. */
  readonly upstreamTotal: number
  /** The body of one request. */
  readonly requestBody: number
}

export const LIMITS: Limits = {
  upstreamEvent: 16 * MiB,
  upstreamTotal: 256 * MiB,
  requestBody: 32 * MiB,
}
