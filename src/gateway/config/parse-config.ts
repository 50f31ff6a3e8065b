import * as z from 'zod'
import { isObject } from '../../text/json.ts'
import { CONFIG, type Config } from './config.ts'
import { formatConfigPath } from './config-problems.ts'
import {
  type FilledText,
  fillText,
  formatPlace,
  type PlacedProblem,
  parseConfigText,
  placeOf,
  repeatedNames,
} from './config-text.ts'
import { acceptReferences } from './descriptions/accept-references.ts'
import { describeOptions } from './descriptions/describe-options.ts'
import { type ExaminedConfig, examineConfig } from './examine-config.ts'
import type { Env } from './secrets.ts'

export type Loaded =
  | { readonly ok: true; readonly config: Config }
  /** One line for each problem, which begins with its path. Problems of a file name line and column after it. */
  | { readonly ok: false; readonly problems: readonly string[] }

/** A configuration file with all its problems, and with that part of the configuration in which there are none. */
interface ReadConfig extends Pick<ExaminedConfig, 'rest' | 'isConsequence'> {
  /** In the order of the file. */
  readonly problems: readonly string[]
}

/**
 * Parses the text of a configuration file: JSON with comments and trailing commas, whose strings may contain
 * `${VARIABLE}`. Returns the configuration, or all its problems. Problems never quote a value, which may be a secret.
 */
export function parseConfig(text: string, env: Env = {}): Loaded {
  const { problems, rest } = readConfig(text, env)
  return problems.length === 0 && rest !== null ? { ok: true, config: rest } : { ok: false, problems }
}

/** Does the same; of a file with problems, the rest can be checked further. */
export function readConfig(text: string, env: Env): ReadConfig {
  const parsed = parseConfigText(text)
  if (!parsed.ok) return { problems: [parsed.problem], rest: null, isConsequence: () => true }
  const { body } = parsed
  const filled = fillText(body, env)
  const written = [...repeatedNames(body), ...filled.problems]
  if (hasNoKeys(filled.value) && !written.some(({ path }) => path[0] === 'keys'))
    written.push({ ...NO_KEYS, place: placeOf(body, NO_KEYS.path) })
  const broken = written.map(({ path }) => path)
  const typed = typedReferences(filled)
  const value = typed.length === 0 ? filled.value : fillText(body, env, new Set(typed)).value
  const { problems, ...examined } = examineConfig(value, broken)
  const placed = problems.map(({ path, message, option }) => ({
    path,
    message,
    place: placeOf(body, [...path, ...option]),
  }))
  return { ...examined, problems: inOrder([...written, ...placed]).map(formatProblem) }
}

const inOrder = (problems: readonly PlacedProblem[]): readonly PlacedProblem[] =>
  problems.toSorted(({ place: one }, { place: other }) => one.line - other.line || one.column - other.column)

const formatProblem = ({ path, message, place }: PlacedProblem): string =>
  `${formatConfigPath(path)} ${formatPlace(place)}: ${message}`

/** An empty list is the opposite of its default, a development key, and can only be a mistake. */
const hasNoKeys = (value: unknown): boolean => isObject(value) && Array.isArray(value.keys) && value.keys.length === 0

const NO_KEYS = {
  path: ['keys'],
  message: 'expected at least one key, got an empty list. Add a key, or remove "keys" to use a development key',
}

const NUMBER_OR_BOOLEAN = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/

/** References in places where the configuration has a number or a boolean: a variable is always a text. */
function typedReferences({ value, references }: FilledText): readonly string[] {
  if (references.size === 0) return []
  const result = CONFIG.safeParse(value)
  return (result.error?.issues ?? []).flatMap(({ code, path }) => {
    const formatted = formatConfigPath(path)
    const isTyped = code === 'invalid_type' || code === 'invalid_union'
    return isTyped && NUMBER_OR_BOOLEAN.test(references.get(formatted) ?? '') ? [formatted] : []
  })
}

/**
 * Does the same for a value, e.g. of an embedding program. `{}` is the configuration of a server without a file. `own`: the
 * names of vendors of the program.
 */
export function checkConfigValue(value: unknown, own: readonly string[] = []): Loaded {
  const { problems, rest } = examineConfig(value, [], own)
  if (problems.length === 0 && rest !== null) return { ok: true, config: rest }
  return { ok: false, problems: problems.map(({ path, message }) => `${formatConfigPath(path)}: ${message}`) }
}

/** Does the same, and throws an Error with all problems. */
export function toConfig(value: unknown, own: readonly string[] = []): Config {
  const loaded = checkConfigValue(value, own)
  if (loaded.ok) return loaded.config
  throw new Error(`The configuration is not valid:\n${loaded.problems.map((problem) => `  ${problem}`).join('\n')}`)
}

/** The JSON Schema of a configuration whose variables are filled in. */
export const toConfigSchema = () => ({
  title: 'millrace configuration',
  ...describeOptions(z.toJSONSchema(CONFIG, { io: 'input' })),
})

/**
 * The JSON Schema of a configuration file; shipped as `schema/config.schema.json`, for editors. A test writes it
 * (`vitest -u`) and proves that it is current. The two `allow` members are those of Visual Studio Code.
 */
export const toFileSchema = () => ({
  allowComments: true,
  allowTrailingCommas: true,
  ...acceptReferences(toConfigSchema()),
})
