import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { CONFIG, type Config } from './config.ts'
import { describeOptions } from './describe-options.ts'

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
  return parsed.ok ? checkConfigValue(parsed.value) : { ok: false, problems: [parsed.problem] }
}

/** Does the same for a value, e.g. of an embedding program. `{}` is the configuration of a server without a file. */
export function checkConfigValue(value: unknown): Loaded {
  const result = CONFIG.safeParse(value)
  if (result.success) return { ok: true, config: result.data }
  return {
    ok: false,
    problems: result.error.issues.map(({ path, message }) => `${formatConfigPath(path)}: ${message}`),
  }
}

export async function loadConfig(file: string): Promise<Loaded> {
  try {
    return parseConfig(await readFile(file, 'utf8'))
  } catch (error) {
    return { ok: false, problems: [`the file cannot be read (${codeOf(error)}). Check its path and its permissions`] }
  }
}

/** Formats a path as `vendors.acme.key` or `keys[0].sha256`; the empty path as `configuration`. */
function formatConfigPath(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  return text === '' ? 'configuration' : text.replace(/^\./, '')
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

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'

/**
 * The JSON Schema of a configuration file; shipped as `schema/config.schema.json`, for editors. A test writes it
 * (`vitest -u`) and proves that it is current.
 */
export const toConfigSchema = (): object => ({
  title: 'millrace configuration',
  ...describeOptions(z.toJSONSchema(CONFIG, { io: 'input' })),
})
