import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../gateway/config/config.ts'
import { checkConfigValue, type Loaded } from '../gateway/config/parse-config.ts'
import type { Env } from '../gateway/config/secrets.ts'
import { loadConfig } from '../host/config/load-config.ts'

/**
 * The files of this folder that are read if no other file is named, the first that exists. A file in YAML is refused with
 * the reason: a server that ignored it would start with other settings than its user wrote.
 */
export const DEFAULT_FILES: readonly string[] = ['millrace.jsonc', 'millrace.json', 'millrace.yaml', 'millrace.yml']

/**
 * The path of the option, else the one that MILLRACE_CONFIG names, else a file of this folder, else an empty text. An
 * empty option is a server without a file.
 */
export const configPath = (option: string | undefined, env: Env): string =>
  option ??
  env.MILLRACE_CONFIG ??
  DEFAULT_FILES.map((file) => join(process.cwd(), file)).find((file) => existsSync(file)) ??
  ''

/** Reads a configuration file; an empty path is a server without a file. Throws an Error that lists all problems. */
export async function readConfigFile(file: string): Promise<Config> {
  const loaded: Loaded = file === '' ? checkConfigValue({}) : await loadConfig(file)
  if (!loaded.ok) throw new Error(describeProblems(file, loaded.problems))
  return loaded.config
}

/** The problems below the file that has them; without a file, they are those of the environment. */
export const describeProblems = (file: string, problems: readonly string[]): string =>
  file === '' ? problems.join('\n') : [`${file}:`, ...problems.map((problem) => `  ${problem}`)].join('\n')
