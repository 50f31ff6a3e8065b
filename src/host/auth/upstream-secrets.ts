import { isNonEmptyString } from '../../text/json.ts'
import type { AwsCredentials } from '../upstream/aws.ts'

/** The parts of requests to one upstream that may contain a secret. */
export interface Sent {
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

const SECRET_NAME = /auth|bearer|cookie|credential|jwt|key|pass|secret|session|signature|token/i

/**
 * The secrets of a header whose name indicates one: the whole value, the value without its authorization scheme, and
 * for `Basic` the decoded pair and its password.
 */
function secretsOfHeader([name, value]: readonly [string, string]): readonly string[] {
  if (!SECRET_NAME.test(name)) return []
  const token = value.slice(value.indexOf(' ') + 1)
  return [value, token, ...(/^basic /i.test(value) ? passwordsIn(token) : [])]
}

/** Decodes `name:password` in base64 (RFC 7617). */
function passwordsIn(token: string): readonly string[] {
  const pair = Buffer.from(token, 'base64').toString()
  return [pair, pair.slice(pair.indexOf(':') + 1)]
}

/** Azure's `code` and `sig`, and the names that indicate a secret in a header. */
const isSecretParameter = (name: string): boolean => SECRET_NAME.test(name) || /^(?:code|sig)$/i.test(name)

const secretsOfUrl = (url: string): readonly string[] =>
  URL.canParse(url)
    ? [...new URL(url).searchParams].flatMap(([name, value]) => (isSecretParameter(name) ? [value] : []))
    : []
