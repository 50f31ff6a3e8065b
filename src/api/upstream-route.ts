import { guardWire } from '../engine/hooks.ts'
import type { UpstreamRoute } from '../engine/upstream-call.ts'
import type { JsonObject } from '../protocol/json.ts'
import { checkBaseUrl, checkObject, checkProtocol } from '../validation/arguments.ts'
import type { CachePolicy, Wire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'

/** The settings of an upstream that a translator of objects and one of names share. */
export interface UpstreamSettings {
  /** The vendor's name of the model. Default: the model that the client requests. */
  readonly model?: string | undefined
  /** Left out: requests have no credentials but those in `headers`. */
  readonly apiKey?: string | undefined
  /** Added to every request; they replace headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Added to the vendor's quirks. */
  readonly quirks?: Quirks | undefined
  /** False if the hub translates the requests of clients of the same protocol as well. Default: true. */
  readonly passthrough?: boolean | undefined
  /**
   * `auto` (default): cache breakpoints are placed for clients whose own vendor caches prompts without them. `client`:
   * only those of the client are sent. `off`: none is sent.
   */
  readonly cache?: CachePolicy | undefined
  /** Members that are merged into the body of every request, and take precedence over its own. */
  readonly body?: JsonObject | undefined
}

export const UPSTREAM_SETTINGS = ['model', 'apiKey', 'headers', 'quirks', 'passthrough', 'cache', 'body'] as const

/** The upstream of a translator of objects. */
export interface UpstreamObject extends UpstreamSettings {
  readonly wire: Wire
  readonly baseUrl: string
  /** Reasoning that the upstream encrypts comes back only to a vendor of this name. Default: the name of the wire. */
  readonly vendor?: string
  /** The environment variable that usually holds the key, for the remedy of a refused key. */
  readonly keyVariable?: string | undefined
}

/** A route whose model may still depend on the request. */
export interface OpenRoute extends Omit<UpstreamRoute, 'model'> {
  readonly model: string | null
}

export const UPSTREAM_OBJECT = [...UPSTREAM_SETTINGS, 'wire', 'baseUrl', 'vendor', 'keyVariable']

const WIRE_METHODS = ['framing', 'decodeStream', 'decodeError', 'encodeRequest', 'address', 'authorize']

/** The route to an upstream. Throws a TypeError for a base URL that is none. */
export function routeTo(upstream: UpstreamObject): OpenRoute {
  const {
    wire,
    baseUrl,
    vendor,
    model = null,
    headers = {},
    quirks = {},
    passthrough = true,
    cache = 'auto',
  } = upstream
  checkProtocol(wire, 'upstream.wire', 'a wire, such as openaiChat', WIRE_METHODS)
  checkBaseUrl(baseUrl, 'upstream.baseUrl')
  checkObject(upstream.body, 'upstream.body')
  return {
    wire: guardWire(wire),
    quirks,
    vendor: vendor ?? wire.name,
    model,
    baseUrl,
    key: keyOf(upstream),
    passthrough,
    cache,
    headers: toLowerCase(headers),
    ...(upstream.body === undefined ? {} : { body: upstream.body }),
  }
}

/** A program may pass the empty value of a variable that is not set. */
export const keyOf = ({ apiKey }: Pick<UpstreamSettings, 'apiKey'>): string | null =>
  apiKey === undefined || apiKey === '' ? null : apiKey

export const toLowerCase = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
