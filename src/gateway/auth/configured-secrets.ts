import { ENGINES } from '../../search/registry.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import { findVendor, VENDOR_NAMES } from '../../vendors/registry.ts'
import { type Env, readVariable } from '../config/secrets.ts'
import { SECRET_NAME, secretsIn } from './upstream-secrets.ts'

/** Variables of secrets that no table names. */
const VARIABLES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'MILLRACE_DEV_KEY'] as const

const tableVariables = (): readonly string[] => [
  ...VARIABLES,
  ...VENDOR_NAMES.flatMap((name) => findVendor(name)?.keyVariable ?? []),
  ...Object.values(ENGINES).flatMap(({ keyVariable }) => keyVariable ?? []),
]

/** The password of an address such as `redis://user:password@host`, and its secret parameters. */
function secretsOfAddress(text: string): readonly string[] {
  if (!text.includes('://') || !URL.canParse(text)) return []
  const { password } = new URL(text)
  return [decodeURIComponent(password), ...secretsIn({ key: null, baseUrl: text })]
}

const headersOf = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (typeof one === 'string' ? [[name, one] as const] : [])),
  )

function secretsBelow(name: string, value: unknown, env: Env): readonly string[] {
  if (typeof value === 'string') return [...(SECRET_NAME.test(name) ? [value] : []), ...secretsOfAddress(value)]
  if (Array.isArray(value)) return value.flatMap((one) => secretsBelow('', one, env))
  if (!isObject(value)) return []
  if (typeof value.env === 'string') {
    const read = readVariable(env, value.env)
    return [read, ...secretsOfAddress(read)]
  }
  const inHeaders = name === 'headers' ? secretsIn({ key: null, headers: headersOf(value), baseUrl: '' }) : []
  return [...inHeaders, ...Object.entries(value).flatMap(([member, one]) => secretsBelow(member, one, env))]
}

/**
 * All secrets that a server may have: those of its configuration, and the variables of the environment that vendors,
 * search engines and AWS read. A member of the configuration is a secret if its name indicates one.
 */
export const configuredSecrets = (config: object, env: Env): readonly string[] =>
  [
    ...new Set([...secretsBelow('', config, env), ...tableVariables().map((variable) => readVariable(env, variable))]),
  ].filter(isNonEmptyString)
