import { readFile } from 'node:fs/promises'
import { type Loaded, parseConfig } from '../../gateway/config/parse-config.ts'
import type { Env } from '../../gateway/config/secrets.ts'
import { lookup } from '../../text/lookup.ts'

/** Reads a configuration file. `env`: the variables that its strings may contain. Never rejects. */
export async function loadConfig(file: string, env: Env = process.env): Promise<Loaded> {
  if (IS_YAML.test(file)) return { ok: false, problems: [NO_YAML] }
  try {
    return parseConfig(await readFile(file, 'utf8'), env)
  } catch (error) {
    return { ok: false, problems: [toUnreadable(error)] }
  }
}

export const IS_YAML = /\.ya?ml$/i

export const NO_YAML =
  'the configuration is JSON with comments, not YAML, so that errors can name the line and editors can complete the options. Convert the file to millrace.jsonc'

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
