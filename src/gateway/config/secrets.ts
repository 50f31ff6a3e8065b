import type { Secret } from './config.ts'
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

export const missingSecret = (path: string, variable: string): string =>
  `${path}.env: the environment variable ${variable} is not set`

/** Returns the key. Throws an Error with its path, and without the key, if a header cannot contain it. */
export function checkedKey(key: string, path: string): string {
  if (HEADER_VALUE.test(key)) return key
  throw new Error(`${path}: expected a key without line ends and with only Latin-1 characters`)
}
