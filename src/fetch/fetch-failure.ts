import { failureLike, transportError } from '../gateway/upstream/transport-error.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'

const NO_PORT = upstreamError(
  'upstream_unreachable',
  'The platform refuses connections to this port. Check the base URL of the vendor.',
  502,
)

/** Deno, Bun and workerd have no codes of the system; their messages are matched, and never repeated. */
const MESSAGES: readonly (readonly [RegExp, GatewayError])[] = [
  [/refused|ConnectionRefused|unable to connect/i, failureLike('ECONNREFUSED')],
  [/dns error|lookup address|resolve host|ENOTFOUND/i, failureLike('EAI_AGAIN')],
  [/bad port|requests to port/i, NO_PORT],
  [/certificate|TLS|SSL/, failureLike('EPROTO')],
]

/** The failure of a call of `fetch`, or of the body of its answer. */
export function fetchFailure(error: unknown): GatewayError {
  const known = transportError(error instanceof Error ? error : new Error())
  const texts = textsOf(error)
  const [, found] = MESSAGES.find(([pattern]) => pattern.test(texts)) ?? []
  return known.code === 'upstream_disconnected' ? (found ?? known) : known
}

function textsOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const code = 'code' in error ? String(error.code) : ''
  return `${code} ${error.message} ${textsOf(error.cause)}`
}
