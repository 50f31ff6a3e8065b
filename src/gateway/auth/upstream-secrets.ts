import { isNonEmptyString } from '../../text/json.ts'
import type { AwsCredentials } from '../upstream/aws.ts'

/** The parts of requests to one upstream that may contain a secret. */
interface Sent {
  readonly key: string | null
  readonly credentials?: AwsCredentials | null
  readonly headers?: Readonly<Record<string, string>>
  readonly baseUrl: string
}

/** The secrets in requests to one upstream, which the upstream may quote. */
export const secretsIn = ({ key, credentials, headers = {}, baseUrl }: Sent): readonly string[] =>
  [
    key,
    credentials?.accessKeyId,
    credentials?.secretAccessKey,
    credentials?.sessionToken,
    ...Object.entries(headers).flatMap(secretsOfHeader),
    ...secretsOfUrl(baseUrl),
  ].filter(isNonEmptyString)

/** Names that indicate a secret of any length, also of a parameter: Azure's `code` and `sig`. */
export const SECRET_NAME = /auth|bearer|cookie|credential|jwt|key|pass|secret|session|signature|token|^(?:code|sig)$/i

/** Headers and parameters with the same value for every account. An upstream may quote them to explain a failure. */
const HARMLESS_NAMES: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'alt',
  'anthropic-beta',
  'anthropic-version',
  'api-version',
  'content-type',
  'http-referer',
  'openai-beta',
  'origin',
  'referer',
  'user-agent',
  'x-title',
])

/** A shorter value, such as `eu`, could be an ordinary word of a message. */
const SHORTEST_UNNAMED = 8

/** Whether a value is a secret: the operator may name a header or parameter that carries one in any way. */
export const isSecretValue = (name: string, value: string): boolean =>
  SECRET_NAME.test(name) || (value.length >= SHORTEST_UNNAMED && !HARMLESS_NAMES.has(name.toLowerCase()))

/**
 * The secrets of a header: the whole value, the value without its authorization scheme, and for `Basic` the decoded pair
 * and its password.
 */
function secretsOfHeader([name, value]: readonly [string, string]): readonly string[] {
  if (!isSecretValue(name, value)) return []
  const token = value.slice(value.indexOf(' ') + 1)
  return [value, ...(isSecretValue(name, token) ? [token] : []), ...(/^basic /i.test(value) ? passwordsIn(token) : [])]
}

/** Decodes `name:password` in base64 (RFC 7617). */
function passwordsIn(token: string): readonly string[] {
  const pair = decodePair(token)
  return [pair, pair.slice(pair.indexOf(':') + 1)]
}

/** Returns an empty text for a token that is not base64. Bytes that are not UTF-8 are replaced. */
function decodePair(token: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(token), (letter) => letter.charCodeAt(0)))
  } catch {
    return ''
  }
}

function secretsOfUrl(url: string): readonly string[] {
  if (!URL.canParse(url)) return []
  const { searchParams, password } = new URL(url)
  const named = [...searchParams].flatMap(([name, value]) => (isSecretValue(name, value) ? [value] : []))
  return password === '' ? named : [...named, password, decoded(password)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
