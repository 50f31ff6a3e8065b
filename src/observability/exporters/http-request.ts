import { trimSlashes } from '../../text/trim-slashes.ts'
import type { Trace } from '../trace.ts'

/** The credentials with which a request to an S3 store is signed when it is sent. */
export interface Signing {
  readonly service: 's3'
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

/** One HTTP request that delivers traces. */
export interface HttpRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  /** Names are in lower case. Some values are secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  readonly traces: number
  readonly signing: Signing | null
}

/** Encodes traces as requests to a destination with this config. */
export type Exporter<Config> = (traces: readonly Trace[], config: Config) => readonly HttpRequest[]

export const JSON_TYPE = { 'content-type': 'application/json' }

/** Creates one POST request with all traces. */
export const post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
  traces: number,
): readonly HttpRequest[] => [{ method: 'POST', url, headers, body, traces, signing: null }]

/** Joins a base URL, with or without a slash at its end, and a path. */
export const under = (base: string, path: string): string => trimSlashes(base) + path

/** Basic authentication, for names and passwords with any characters. */
export const basic = (user: string, password: string): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)))}`
