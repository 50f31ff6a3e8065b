import { createHmac } from 'node:crypto'
import type { Sign } from '../responses/envelope.ts'
import type { Secret } from './config.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Files that secrets come from end with a line feed, and no header may hold one. */
export const readVariable = (env: Env, name: string): string => (env[name] ?? '').trim()

/** The secret itself; throws an Error that names the place where its variable is not set. */
export function readSecret(secret: Secret, place: string, env: Env): string {
  if (typeof secret === 'string') return secret
  const value = readVariable(env, secret.env)
  if (value === '') throw new Error(`${place}.env: the environment variable ${secret.env} is not set`)
  return value
}

/** HMAC-SHA-256, in hexadecimal digits. */
export const openSign =
  (key: string): Sign =>
  (text) =>
    createHmac('sha256', key).update(text).digest('hex')
