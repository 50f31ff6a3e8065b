import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { isObject } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { CONFIG, type Config } from './config.ts'
import { describeConfigIssue, formatConfigPath } from './config-problems.ts'
import { describeOptions } from './describe-options.ts'
import { parseJsonText } from './json-file.ts'
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
  const parsed = parseJsonText(text)
  if (!parsed.ok) return { ok: false, problems: [`the file is not JSON${parsed.mistake}`] }
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

export async function loadConfig(file: string): Promise<Loaded> {
  try {
    return parseConfig(await readFile(file, 'utf8'))
  } catch (error) {
    return { ok: false, problems: [toUnreadable(error)] }
  }
}

/** Codes of the operating system (https://nodejs.org/api/errors.html#common-system-errors). */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist. Check its path',
  EISDIR: 'it is a folder. Name a file',
  EACCES: 'this user may not read it. Check its permissions',
}

function toUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  return `the file cannot be read (${code}): ${lookup(UNREADABLE, code) ?? 'check its path and its permissions'}`
}

/**
 * The JSON Schema of a configuration file; shipped as `schema/config.schema.json`, for editors. A test writes it
 * (`vitest -u`) and proves that it is current.
 */
export const toConfigSchema = (): object => ({
  title: 'millrace configuration',
  ...describeOptions(z.toJSONSchema(CONFIG, { io: 'input' })),
})
