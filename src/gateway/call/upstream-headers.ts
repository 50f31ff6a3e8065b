import type { Redact } from '../../wires/redact.ts'
import type { Reply } from '../exchange/reply.ts'
import type { UpstreamResponse } from '../upstream/transport.ts'

const PREFIX = 'x-upstream-'

/** The beginning of the limits of ChatGPT's plans, which Codex reads under their own names and shows. */
const OWN_NAMES = 'x-codex-'

/** Headers with the id of a request, which the support of a vendor asks for. */
const REQUEST_IDS: ReadonlySet<string> = new Set([
  'apim-request-id',
  'request-id',
  'x-amzn-requestid',
  'x-generation-id',
  'x-ms-request-id',
  'x-request-id',
])

/** Beginnings of the names of headers with rate limits. */
const RATE_LIMITS: readonly string[] = ['anthropic-ratelimit-', 'ratelimit-', 'x-ratelimit-']

/** Numbers, times and ids. A URL has a slash. */
const VALUE = /^[\w ".,:;=%+-]{1,256}$/

/** More than twice as many as any vendor sends. */
const MOST = 40

const isCarried = (name: string): boolean =>
  REQUEST_IDS.has(name) || name.startsWith(OWN_NAMES) || RATE_LIMITS.some((beginning) => name.startsWith(beginning))

/**
 * Copies rate limits and request ids of an upstream to the answer of the client, in place of those of an earlier
 * attempt. `redact` removes the secrets of the upstream's account. Has no effect once the head is sent.
 */
export function copyUpstreamHeaders(reply: Reply, headers: UpstreamResponse['headers'], redact: Redact): void {
  if (reply.hasStarted()) return
  reply.removeHeaders(PREFIX)
  reply.removeHeaders(OWN_NAMES)
  let carried = 0
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? ''
    if (carried === MOST || !isCarried(name) || !VALUE.test(value)) continue
    reply.setHeader(name.startsWith(OWN_NAMES) ? name : PREFIX + name, redact(value))
    carried += 1
  }
}
