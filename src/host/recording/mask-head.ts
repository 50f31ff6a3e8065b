import { isSecretValue, SECRET_NAME } from '../../gateway/auth/upstream-secrets.ts'
import { maskText, type SecretSet } from './secret-mask.ts'

const MASK = '[secret]'

/** Rate limits count tokens, which are not secrets. */
const COUNTS = /ratelimit|rate-limit|usage|^x-.*-tokens?-(?:count|used|remaining)/i

/** Identify the account of the operator. */
const ACCOUNT = /(?:^|-)(?:organization|organisation|project|account|subscription|tenant|workspace)(?:-|$)/i

/** Describe the connection or the coding, which a recording does not have. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])

/** Describe the client's program. */
const OF_THE_PROGRAM = /^(?:x-stainless-|sec-|x-goog-api-client$)/

type Headers = Readonly<Record<string, string | undefined>>

const mapHeaders = (headers: Headers, show: (name: string, value: string) => string | null): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value = '']) => {
      const shown = show(name.toLowerCase(), value)
      return shown === null ? [] : [[name.toLowerCase(), shown] as const]
    }),
  )

/** Masks every header that is not known to be harmless. */
export const maskRequestHeaders = (headers: Headers, secrets: SecretSet): Readonly<Record<string, string>> =>
  mapHeaders(headers, (name, value) => {
    if (OF_THE_CONNECTION.has(name)) return null
    return isSecretValue(name, value) && !OF_THE_PROGRAM.test(name) ? MASK : maskText(value, secrets)
  })

/** Masks cookies, credentials and the names of accounts. */
export const maskAnswerHeaders = (headers: Headers, secrets: SecretSet): Readonly<Record<string, string>> =>
  mapHeaders(headers, (name, value) => {
    if (OF_THE_CONNECTION.has(name)) return null
    const isSecret = (SECRET_NAME.test(name) && !COUNTS.test(name)) || ACCOUNT.test(name)
    return isSecret ? MASK : maskText(value, secrets)
  })

/** The path and the query, with every parameter masked that is not known to be harmless. */
export function maskPath({ pathname, searchParams }: URL, secrets: SecretSet): string {
  const parameters = [...searchParams].map(([name, value]) => {
    // A query without names is a value, such as a token.
    if (value === '') return isSecretValue('', name) ? MASK : shown(name, secrets)
    return `${shown(name, secrets)}=${isSecretValue(name, value) ? MASK : shown(value, secrets)}`
  })
  return maskText(pathname, secrets) + (parameters.length === 0 ? '' : `?${parameters.join('&')}`)
}

const shown = (text: string, secrets: SecretSet): string => encodeURIComponent(maskText(text, secrets))

/** Origin and path of a base URL; without credentials and query. */
export function maskBaseUrl(baseUrl: string, secrets: SecretSet): string {
  if (!URL.canParse(baseUrl)) return ''
  const { origin, pathname } = new URL(baseUrl)
  return maskText(origin + pathname, secrets)
}
