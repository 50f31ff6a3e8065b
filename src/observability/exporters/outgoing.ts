import { trimSlashes } from '../../text/trim-slashes.ts'
import type { Trace } from '../trace.ts'

/** With what a request to an S3 store is signed, at the moment it is sent. */
export interface Signing {
  readonly service: 's3'
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

/** One HTTP request that carries traces away. */
export interface Outgoing {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  /** Lower-case names. Secrets are among the values. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** How many traces are in it. */
  readonly traces: number
  readonly signing: Signing | null
}

/** Traces and a variant's config → the requests that carry them. */
export type Exporter<Config> = (traces: readonly Trace[], config: Config) => readonly Outgoing[]

export const JSON_TYPE = { 'content-type': 'application/json' }

/** One POST that carries all of them. */
export const post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
  traces: number,
): readonly Outgoing[] => [{ method: 'POST', url, headers, body, traces, signing: null }]

/** An address under a base; the base may end with a slash, or not. */
export const under = (base: string, path: string): string => trimSlashes(base) + path

/** `Basic`, for names and passwords of any characters. */
export const basic = (user: string, password: string): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)))}`
