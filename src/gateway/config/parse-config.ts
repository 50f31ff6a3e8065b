import * as z from 'zod'
import { isObject } from '../../text/json.ts'
import { CONFIG, type Config } from './config.ts'
import { describeConfigIssue, formatConfigPath } from './config-problems.ts'
import { describeOptions } from './describe-options.ts'
import { findRepeatedNames } from './repeated-names.ts'

export type Loaded =
  | { readonly ok: true; readonly config: Config }
  /** One line for each problem, which begins with its path. */
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Parses the text of a configuration file. Returns the configuration, or all its problems. Problems never quote a
 * value, which may be a secret.
 */
export function parseConfig(text: string): Loaded {
  const parsed = parseJsonAt(text)
  if (!parsed.ok) return { ok: false, problems: [parsed.problem] }
  const repeated = findRepeatedNames(text)
  if (repeated.length === 0) return hasNoKeys(parsed.value) ? NO_KEYS : checkConfigValue(parsed.value)
  return { ok: false, problems: repeated.map((path) => `${formatConfigPath(path)}: expected once, got a second one`) }
}

/** An empty list is the opposite of its default, a development key, and can only be a mistake. */
const hasNoKeys = (value: unknown): boolean => isObject(value) && Array.isArray(value.keys) && value.keys.length === 0

const NO_KEYS: Loaded = {
  ok: false,
  problems: [
    'keys: expected at least one key, got an empty list. Add a key, or remove "keys" to use a development key',
  ],
}

/** Does the same for a value, e.g. of an embedding program. `{}` is the configuration of a server without a file. */
export function checkConfigValue(value: unknown): Loaded {
  const result = CONFIG.safeParse(value, { error: describeConfigIssue })
  if (result.success) return { ok: true, config: result.data }
  return {
    ok: false,
    problems: result.error.issues.flatMap(({ path, message }) =>
      message.split('\n').map((line) => `${formatConfigPath(path)}: ${line}`),
    ),
  }
}

/** Does the same, and throws an Error with all problems. */
export function toConfig(value: unknown): Config {
  const loaded = checkConfigValue(value)
  if (loaded.ok) return loaded.config
  throw new Error(`The configuration is not valid:\n${loaded.problems.map((problem) => `  ${problem}`).join('\n')}`)
}

type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

// Uses only the position in the parser's message, because the rest may quote the text.
function parseJsonAt(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text.replace(/^\ufeff/, '')) }
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1]
    const where = position === undefined ? '' : ` (${formatPosition(text, Number(position))})`
    return { ok: false, problem: `the file is not JSON${where}` }
  }
}

function formatPosition(text: string, position: number): string {
  const before = text.slice(0, position).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

/**
 * The JSON Schema of a configuration file; shipped as `schema/config.schema.json`, for editors. A test writes it
 * (`vitest -u`) and proves that it is current.
 */
export const toConfigSchema = (): object => ({
  title: 'millrace configuration',
  ...describeOptions(z.toJSONSchema(CONFIG, { io: 'input' })),
})
