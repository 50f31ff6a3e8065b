import { writeFile } from 'node:fs/promises'
import { type Env, readVariable } from '../gateway/config/secrets.ts'
import { findVendor, VENDOR_NAMES } from '../vendors/registry.ts'
import { DEFAULT_FILES } from './config-file.ts'
import { unwritable } from './files/read-input.ts'
import { createKey, type KeyLine } from './key.ts'
import { plain } from './output/line-style.ts'
import type { Streams } from './streams.ts'

export interface InitOptions {
  /** Default: `millrace.jsonc`. */
  readonly to?: string
  /** The name of the key. Default: `client`. */
  readonly name?: string
}

/**
 * Writes a configuration that a server can start with, and prints its key, which the file has as a hash. Rejects with an
 * Error if the file exists or cannot be written.
 */
export async function writeFirstConfig(
  { to = DEFAULT_FILES[0] ?? '', name = 'client' }: InitOptions,
  { stdout }: Pick<Streams, 'stdout'>,
  env: Env,
): Promise<number> {
  if (name.trim() === '') throw new Error('--name: expected the name of the key, got no characters.')
  const { key, entry } = createKey(name)
  const config = to === DEFAULT_FILES[0] ? '' : ` --config ${plain(to)}`
  await writeFile(to, contentOf(entry, config), { flag: 'wx', mode: 0o600 }).catch((error) => {
    const remedy = error.code === 'EEXIST' ? ' Move it away, or name another file with --to FILE.' : ''
    throw new Error(`init: ${unwritable(to, error)}${remedy}`)
  })
  const millrace = commandOf(env)
  stdout.write(`Wrote ${plain(to)}. The key for your clients, which is not shown again:
  ${key}

Start the server: ${millrace} serve${config}
Base URLs: http://127.0.0.1:8787/v1 for OpenAI's clients, http://127.0.0.1:8787 for Anthropic's, Google's and Ollama's
${foundVendors(env, millrace)}
`)
  return 0
}

/** The command as it was typed: npm sets these variables for `npx millrace` and in a checkout, where there is no other. */
function commandOf(env: Env): string {
  if (env.npm_lifecycle_event === 'millrace') return 'npm run -s millrace --'
  return env.npm_command === 'exec' ? 'npx millrace' : 'millrace'
}

/** Names the vendors that work at once, or how to add one. */
function foundVendors(env: Env, millrace: string): string {
  const variables = new Set(VENDOR_NAMES.flatMap((vendor) => findVendor(vendor)?.keyVariable ?? []))
  const set = [...variables].filter((variable) => readVariable(env, variable) !== '')
  return set.length === 0
    ? `No key of a provider is set. Set one before the start, such as GROQ_API_KEY; ${millrace} vendors lists them all.`
    : `Providers with a key: ${set.join(', ')}`
}

const contentOf = (entry: KeyLine, config: string): string => `\
// Check this file: millrace serve --check${config}
{
  "listen": { "host": "127.0.0.1", "port": 8787 },
  // One entry for each client; millrace key --name NAME makes another one.
  "keys": [${JSON.stringify(entry)}],
  // Providers need no entry: their key comes from the environment (GROQ_API_KEY, ANTHROPIC_API_KEY ...).
  "vendors": {},
  // Names of your own, such as {"match": "fast", "to": ["groq/openai/gpt-oss-120b", "cerebras/gpt-oss-120b"]}.
  "models": []
}
`
