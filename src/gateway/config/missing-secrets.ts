import type { ConfigPath } from './checks.ts'
import { formatConfigPath } from './config-problems.ts'
import { type Env, missingSecret, readVariable } from './secrets.ts'

/** Members of bodies are those of upstreams, and may be named alike. */
const NO_SECRETS = /^vendors\.[^.]+\.body\b/

/** One line for each `{"env": NAME}` whose variable is not set. */
export function* missingSecrets(value: unknown, env: Env, path: ConfigPath = []): Iterable<string> {
  if (typeof value !== 'object' || value === null || NO_SECRETS.test(formatConfigPath(path))) return
  const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  const [[name, variable] = []] = parts
  if (parts.length === 1 && name === 'env' && typeof variable === 'string') {
    if (readVariable(env, variable) === '') yield missingSecret(formatConfigPath(path), variable)
  } else for (const [step, part] of parts) yield* missingSecrets(part, env, [...path, step])
}
