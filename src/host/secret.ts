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

/**
 * HMAC-SHA-256, in hexadecimal digits, over the workspace and the text: what one workspace was given, another cannot use.
 */
export const openSign =
  (secret: string | Uint8Array) =>
  (workspaceId: string): Sign =>
  (text) =>
    createHmac('sha256', secret).update(`${workspaceId}\n`).update(text).digest('hex')
