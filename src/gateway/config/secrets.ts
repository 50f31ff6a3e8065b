import type { ConfigPath } from './checks.ts'
import type { Secret } from './config.ts'
import { formatConfigPath } from './config-problems.ts'
import { HEADER_VALUE } from './header-values.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Files that contain secrets end with a line feed, which is invalid in a header. */
export const readVariable = (env: Env, name: string): string => (env[name] ?? '').trim()

/** Returns the secret. Throws an Error with the path in the configuration if its variable is not set. */
export function readSecret(secret: Secret, path: string, env: Env): string {
  if (typeof secret === 'string') return secret
  const value = readVariable(env, secret.env)
  if (value === '') throw new Error(missingSecret(path, secret.env))
  return value
}

const missingSecret = (path: string, variable: string): string =>
  `${path}.env: the environment variable ${variable} is not set`

/** Returns the key. Throws an Error with its path, and without the key, if a header cannot contain it. */
export function checkedKey(key: string, path: string): string {
  if (HEADER_VALUE.test(key)) return key
  throw new Error(`${path}: expected a key without line ends and with only Latin-1 characters`)
}

/** Members of bodies are those of upstreams, and may be named alike. */
const NO_SECRETS = /^vendors\.[^.]+\.body\b/

const MEMBER = /^vendors\..+\.pool\[\d+\]$/

/** One line for each `{"env": NAME}` whose variable is not set. */
export function* missingSecrets(value: unknown, env: Env, path: ConfigPath = []): Iterable<string> {
  if (typeof value !== 'object' || value === null || NO_SECRETS.test(formatConfigPath(path))) return
  // The key of a member that is turned off may be gone.
  if ('enabled' in value && value.enabled === false && MEMBER.test(formatConfigPath(path))) return
  const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  const [[name, variable] = []] = parts
  if (parts.length === 1 && name === 'env' && typeof variable === 'string') {
    if (readVariable(env, variable) === '') yield missingSecret(formatConfigPath(path), variable)
  } else for (const [step, part] of parts) yield* missingSecrets(part, env, [...path, step])
}
