import { readFile } from 'node:fs/promises'
import type { Env } from '../../gateway/auth/secrets.ts'
import { type Loaded, parseConfig } from '../../gateway/config/parse-config.ts'

/** Reads a configuration file. `env`: the variables that its strings may contain. Never rejects. */
export async function loadConfig(file: string, env: Env = process.env): Promise<Loaded> {
  try {
    return parseConfig(await readFile(file, 'utf8'), env)
  } catch (error) {
    return { ok: false, problems: [`the file cannot be read (${codeOf(error)}). Check its path and its permissions`] }
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
