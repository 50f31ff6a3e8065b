import * as z from 'zod'
import { isObject } from '../../text/json.ts'
import type { Env } from '../auth/secrets.ts'
import { CONFIG, type Config } from './config.ts'
import { describeConfigIssue, formatConfigPath } from './config-problems.ts'
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

export type Loaded =
  | { readonly ok: true; readonly config: Config }
  /** One line for each problem, which begins with its path. Problems of a file name line and column after it. */
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Parses the text of a configuration file: JSON with comments and trailing commas, whose strings may contain
 * `${VARIABLE}`. Returns the configuration, or all its problems. Problems never quote a value, which may be a secret.
 */
export function parseConfig(text: string, env: Env = {}): Loaded {
  const parsed = parseConfigText(text)
  if (!parsed.ok) return { ok: false, problems: [parsed.problem] }
  const { body } = parsed
  const repeated = [...repeatedNames(body)]
  if (repeated.length > 0) return refused(repeated)
  const filled = fillText(body, env)
  if (filled.problems.length > 0) return refused(filled.problems)
  if (hasNoKeys(filled.value)) return refused([{ ...NO_KEYS, place: placeOf(body, NO_KEYS.path) }])
  const result = validate(filled.value)
  const typed = result.success ? [] : typedReferences(result.error.issues, filled)
  const last = typed.length === 0 ? result : validate(fillText(body, env, new Set(typed)).value)
  if (last.success) return { ok: true, config: last.data }
  return refused(
    last.error.issues.flatMap((issue) =>
      linesOf(issue).map(({ path, message, option }) => ({
        path,
        message,
        place: placeOf(body, [...path, ...option]),
      })),
    ),
  )
}

const refused = (problems: readonly PlacedProblem[]): Loaded => ({
  ok: false,
  problems: problems.map(({ path, message, place }) => `${formatConfigPath(path)} ${formatPlace(place)}: ${message}`),
})

/** An empty list is the opposite of its default, a development key, and can only be a mistake. */
const hasNoKeys = (value: unknown): boolean => isObject(value) && Array.isArray(value.keys) && value.keys.length === 0

const NO_KEYS = {
  path: ['keys'],
  message: 'expected at least one key, got an empty list. Add a key, or remove "keys" to use a development key',
}

const validate = (value: unknown) => CONFIG.safeParse(value, { error: describeConfigIssue })

const NUMBER_OR_BOOLEAN = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/

/** References in places where the configuration has a number or a boolean: a variable is always a text. */
const typedReferences = (issues: readonly Issue[], { references }: FilledText): readonly string[] =>
  issues.flatMap(({ code, path }) => {
    const formatted = formatConfigPath(path)
    const isTyped = code === 'invalid_type' || code === 'invalid_union'
    return isTyped && NUMBER_OR_BOOLEAN.test(references.get(formatted) ?? '') ? [formatted] : []
  })

type Issue = z.core.$ZodIssue

/** An issue has one line for each unknown option. `option`: the step to it. */
const linesOf = (issue: Issue) =>
  issue.message.split('\n').map((message, index) => ({
    path: issue.path.map((step) => (typeof step === 'number' ? step : String(step))),
    message,
    option: issue.code === 'unrecognized_keys' ? issue.keys.slice(index, index + 1) : [],
  }))

/** Does the same for a value, e.g. of an embedding program. `{}` is the configuration of a server without a file. */
export function checkConfigValue(value: unknown): Loaded {
  const result = validate(value)
  if (result.success) return { ok: true, config: result.data }
  return {
    ok: false,
    problems: result.error.issues.flatMap((issue) =>
      linesOf(issue).map(({ path, message }) => `${formatConfigPath(path)}: ${message}`),
    ),
  }
}

/** Does the same, and throws an Error with all problems. */
export function toConfig(value: unknown): Config {
  const loaded = checkConfigValue(value)
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
