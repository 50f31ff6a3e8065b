import { readFile } from 'node:fs/promises'
import type { Config } from '../gateway/config/config.ts'
import { withPlaces } from '../gateway/config/config-text.ts'
import { readConfig } from '../gateway/config/parse-config.ts'
import type { Env } from '../gateway/config/secrets.ts'
import { type CheckedStart, checkStart } from '../host/check-start.ts'
import { IS_YAML, loadConfig, NO_YAML } from '../host/config/load-config.ts'
import { readConfigFile } from './config-file.ts'
import { type Address, listeningOn } from './listen-options.ts'

type Refused = {
  readonly ok: false
  /** One line for each problem: those of the file in its order, then those of the environment. */
  readonly problems: readonly string[]
}

type ServerConfig = { readonly ok: true; readonly config: Config; readonly start: CheckedStart } | Refused

/** `file`: empty for a server without a file. */
export type ReadServerConfig = (
  file: string,
  address: Address,
  env: Env,
) => Promise<{ readonly ok: true; readonly config: Config } | Refused>

/** Reads the configuration of a server that calls no vendor, and needs no key for it. */
export const readWithoutVendors: ReadServerConfig = async (file, address) => {
  const { config, problems } = listeningOn(await readConfigFile(file), address)
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems }
}

/**
 * Reads the configuration of a server, and checks all that its start needs, without a socket. A part of the file that is
 * wrong does not hide the problems of the others. `file`: empty for a server without a file.
 */
export async function readServerConfig(file: string, address: Address, env: Env): Promise<ServerConfig> {
  if (IS_YAML.test(file)) return { ok: false, problems: [NO_YAML] }
  const text = file === '' ? '{}' : await readFile(file, 'utf8').catch(() => null)
  if (text === null) {
    const loaded = await loadConfig(file, env)
    return loaded.ok ? { ok: false, problems: ['the file has changed. Try again'] } : loaded
  }
  const { problems, rest, isConsequence } = readConfig(text, env)
  if (rest === null) return { ok: false, problems }
  const { config, problems: ofAddress } = listeningOn(rest, address)
  const checked = await checkStart(config, env)
  if (checked.ok && problems.length === 0 && ofAddress.length === 0) return { ok: true, config, start: checked.start }
  const known = new Set(problems.map(pathOf))
  const further = [...ofAddress, ...(checked.ok ? [] : checked.problems)].filter(
    (problem) => !known.has(pathOf(problem)) && !isConsequence(pathOf(problem)),
  )
  return { ok: false, problems: [...problems, ...withPlaces(text, [...new Set(further)])] }
}

const pathOf = (problem: string): string => /^[^\s:]*/.exec(problem)?.[0] ?? ''
