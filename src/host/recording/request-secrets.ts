import type { IncomingMessage } from 'node:http'
import { SECRET_NAME, secretsIn } from '../../gateway/auth/upstream-secrets.ts'
import type { UpstreamResponse } from '../../gateway/upstream/transport.ts'
import { keysIn } from '../../observability/mask-keys.ts'
import { isNonEmptyString, isObject, parseJson, toArray } from '../../text/json.ts'
import { signedIn } from './signed-addresses.ts'

type Headers = Readonly<Record<string, string>>

const textsOf = (value: Readonly<Record<string, unknown>>): Headers =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (typeof one === 'string' ? [[name, one] as const] : [])),
  )

/** A shorter value of a cookie, such as `dark`, could be an ordinary word. */
const SHORTEST_VALUE = 8

/** The values of a cookie header, which a server may quote without their names. */
const cookieValues = (cookies: string): readonly string[] =>
  cookies
    .split(';')
    .map((pair) =>
      pair
        .slice(pair.indexOf('=') + 1)
        .trim()
        .replace(/^"|"$/g, ''),
    )
    .filter(({ length }) => length >= SHORTEST_VALUE)

/** The secrets of headers and parameters by their names. Others are masked where they are, but may be ordinary words. */
export function namedSecrets(headers: Headers, { searchParams }: URL): readonly string[] {
  const all = [...Object.entries(headers), ...searchParams].filter(([name]) => SECRET_NAME.test(name))
  const cookies = Object.entries(headers).flatMap(([name, value]) =>
    /^cookie$/i.test(name) ? cookieValues(value) : [],
  )
  return [...secretsIn({ key: null, headers: Object.fromEntries(all), baseUrl: '' }), ...cookies]
}

const NO_QUERY = new URL('http://localhost')

export function clientSecrets({ headers, url = '/' }: IncomingMessage): readonly string[] {
  const address = `http://localhost${url}`
  return namedSecrets(textsOf(headers), URL.canParse(address) ? new URL(address) : NO_QUERY)
}

/** Attributes of `set-cookie` have other separators than its cookies, which are joined with commas. */
const SET_COOKIES = /,(?=\s*[^;,=\s]+=)/

/** The values of the cookies that an answer sets, which its body may quote. */
export const answerSecrets = (headers: UpstreamResponse['headers']): readonly string[] =>
  (headers['set-cookie'] ?? '').split(SET_COOKIES).flatMap((cookie) => cookieValues(cookie.split(';', 1)[0] ?? ''))

/** Members of tools that authorize a model to use other servers. */
const AUTHORIZES =
  /^(?:authorization(?:_?token)?|api_?key(?:_?string)?|(?:access|bearer|refresh)_?token|token|(?:client_?)?secret|password)$/i

/** Members of a request that describe such tools. */
const TOOL_MEMBERS = ['tools', 'mcp_servers', 'mcpServers'] as const

/** A body without these has no such tool, and needs no parsing. */
const HAS_TOOLS = /"(?:mcp|mcp_servers|mcpServers|domain_secrets|authConfig|auth_config)"/

const MOST_VALUES = 10_000

/** The secrets of a member of a tool: also without the scheme of an authorization. */
function memberSecrets(name: string, value: unknown): readonly string[] {
  if (typeof value === 'string' && AUTHORIZES.test(name))
    return secretsIn({ key: null, headers: { authorization: value }, baseUrl: '' })
  if (name === 'domain_secrets')
    return toArray(value).flatMap((one) => (isObject(one) && isNonEmptyString(one.value) ? [one.value] : []))
  if (name === 'headers' && isObject(value)) return secretsIn({ key: null, headers: textsOf(value), baseUrl: '' })
  return typeof value === 'string' && value.includes('://') ? secretsIn({ key: null, baseUrl: value }) : []
}

function toolSecrets(tools: readonly unknown[]): readonly string[] {
  const found: string[] = []
  const todo: unknown[] = [...tools]
  for (let count = 0; todo.length > 0 && count < MOST_VALUES; count += 1) {
    const value = todo.pop()
    if (Array.isArray(value)) for (const one of value) todo.push(one)
    else if (isObject(value)) {
      for (const [name, one] of Object.entries(value)) {
        found.push(...memberSecrets(name, one))
        if (typeof one === 'object') todo.push(one)
      }
    }
  }
  return found
}

/** Each is searched in the whole answer. */
const MOST_KEYS = 64

/**
 * The secrets in the body of a request: what authorizes a model to use a tool on another server, the signatures of
 * addresses, and what has the form of a key. The rest of a body is the operator's own text.
 */
export function bodySecrets(text: string): readonly string[] {
  const found = [...signedIn(text), ...[...new Set(keysIn(text))].slice(0, MOST_KEYS)]
  if (!HAS_TOOLS.test(text)) return found
  const body = parseJson(text)
  if (!isObject(body)) return found
  return [...found, ...toolSecrets(TOOL_MEMBERS.map((name) => body[name]))]
}
