import * as z from 'zod'
import { isObject } from '../../text/json.ts'
import { type ConfigPath, checkConfig } from './checks.ts'
import { CONFIG, type Config } from './config.ts'
import { describeConfigIssue, formatConfigPath } from './config-problems.ts'

/** A problem of a configuration. The place of an option that does not exist is that option. */
interface ConfigProblem {
  readonly path: ConfigPath
  readonly message: string
  /** The step from the path to the place; empty if the path is the place. */
  readonly option: ConfigPath
}

export interface ExaminedConfig {
  readonly problems: readonly ConfigProblem[]
  /** The configuration without its wrong parts; null if nothing of it is left. */
  readonly rest: Config | null
  /** Whether a problem of the rest, by its formatted path, may be a consequence of the parts that are left out. */
  isConsequence(path: string): boolean
}

/** The schema without the rules between its options, which need a whole configuration. */
const SHAPE = z.strictObject(CONFIG.shape)

/** More than the levels of a configuration. In each round, the wrong parts are left out, at last with their parents. */
const ROUNDS = 12

/**
 * Finds all problems of a configuration at once. A wrong part would hide the problems of the others: it is left out, and
 * the rest is examined. `broken`: the paths of parts that are known to be wrong. `own`: the names of vendors of the program.
 */
export function examineConfig(
  value: unknown,
  broken: readonly ConfigPath[] = [],
  own: readonly string[] = [],
): ExaminedConfig {
  const left = new LeftOut(broken)
  const problems: ConfigProblem[] = []
  const add = (found: readonly ConfigProblem[]): void => {
    problems.push(...found.filter(({ path }) => !left.isConsequence(formatConfigPath(path))))
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const { rest, toOriginal } = left.restOf(value)
    const parsed = SHAPE.safeParse(rest, { error: describeConfigIssue })
    if (parsed.success) {
      const found: ConfigProblem[] = []
      checkConfig(
        parsed.data,
        { addIssue: ({ path, message }) => found.push({ path: toOriginal(path), message, option: [] }) },
        own,
      )
      add(found)
      const related = new LeftOut(found.map(({ path }) => path))
      return {
        problems,
        rest: parsed.data,
        isConsequence: (path) => left.isConsequence(path) || related.isConsequence(path),
      }
    }
    const found = parsed.error.issues.flatMap((issue) => linesOf(issue, toOriginal))
    add(found)
    if (!found.every(({ path, option }) => left.add([...path, ...option], value))) break
  }
  return { problems, rest: null, isConsequence: () => true }
}

/** An issue has one line for each unknown option. */
const linesOf = (issue: z.core.$ZodIssue, toOriginal: (path: ConfigPath) => ConfigPath): readonly ConfigProblem[] =>
  issue.message.split('\n').map((message, index) => ({
    path: toOriginal(issue.path.map((step) => (typeof step === 'number' ? step : String(step)))),
    message,
    option: issue.code === 'unrecognized_keys' ? issue.keys.slice(index, index + 1) : [],
  }))

/** Options whose rules read other parts: without one of them, they may be right. */
const FOLLOWING: readonly (readonly [option: RegExp, part: RegExp])[] = [
  [/^(?:models|default_vendor)\b/, /^vendors(?:\.[^.]+)?$/],
  [/^(?:keys|destinations)\b.*\bworkspace$/, /^workspaces\b/],
  [/^listen\.host$/, /^keys\b/],
]

/** The parts of a value that are left out of it. */
class LeftOut {
  private readonly paths: Set<string>

  constructor(paths: readonly ConfigPath[]) {
    this.paths = new Set(paths.map(formatConfigPath))
  }

  /** Leaves out a part, or the closest part above it that the value has. False: there is none. */
  add(path: ConfigPath, value: unknown): boolean {
    for (let length = path.length; length > 0; length -= 1) {
      const part = formatConfigPath(path.slice(0, length))
      if (this.paths.has(part) || !exists(value, path.slice(0, length))) continue
      this.paths.add(part)
      return true
    }
    return false
  }

  isConsequence(path: string): boolean {
    return [...this.paths].some(
      (part) =>
        isBelow(path, part) ||
        isBelow(part, path) ||
        FOLLOWING.some(([option, other]) => option.test(path) && other.test(part)),
    )
  }

  /** The value without these parts. `toOriginal`: a path of the rest → the path of the value. */
  restOf(value: unknown): { readonly rest: unknown; readonly toOriginal: (path: ConfigPath) => ConfigPath } {
    const kept = new Map<string, readonly number[]>()
    const copy = (node: unknown, own: ConfigPath, here: ConfigPath): unknown => {
      const isKept = (step: string | number): boolean => !this.paths.has(formatConfigPath([...own, step]))
      if (Array.isArray(node)) {
        const indexes = [...node.keys()].filter(isKept)
        kept.set(formatConfigPath(here), indexes)
        return indexes.map((index, at) => copy(node[index], [...own, index], [...here, at]))
      }
      if (!isObject(node)) return node
      const members = Object.entries(node).filter(([name]) => isKept(name))
      return Object.fromEntries(members.map(([name, part]) => [name, copy(part, [...own, name], [...here, name])]))
    }
    const toOriginal = (path: ConfigPath): ConfigPath =>
      path.map((step, at) =>
        typeof step === 'number' ? (kept.get(formatConfigPath(path.slice(0, at)))?.[step] ?? step) : step,
      )
    return { rest: copy(value, [], []), toOriginal }
  }
}

/** Whether a formatted path is that of a part, or of something in it. */
const isBelow = (path: string, part: string): boolean =>
  path === part || (path.startsWith(part) && /^[.[]/.test(path.slice(part.length)))

function exists(value: unknown, path: ConfigPath): boolean {
  let node = value
  for (const step of path) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return false
    node = (node as Readonly<Record<string | number, unknown>>)[step]
  }
  return true
}
