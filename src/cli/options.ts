import { parseArgs } from 'node:util'

const OPTIONS = {
  config: { type: 'string' },
  model: { type: 'string' },
  log: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  vendor: { type: 'string' },
  collect: { type: 'boolean' },
  pieces: { type: 'string' },
  out: { type: 'string' },
  dialect: { type: 'string' },
  slow: { type: 'boolean' },
  bytes: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

export type OptionName = keyof typeof OPTIONS

/**
 * Parses a command line. `passed`: the arguments after `--`, which `positionals` contains as well. Throws an Error for an
 * unknown option, and for an option with two values.
 */
export function parse(args: readonly string[]) {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
    tokens: true,
  })
  const seen = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option' || token.value === undefined) continue
    if (seen.has(token.name)) throw new Error(`--${token.name}: expected one value, got a second one. Give it once.`)
    seen.add(token.name)
  }
  const end = tokens.find(({ kind }) => kind === 'option-terminator')
  return { values, positionals, passed: end === undefined ? [] : args.slice(end.index + 1) }
}

export type Options = ReturnType<typeof parse>['values']

/** Throws an Error that names the first option that `allowed` does not contain. `command`: the start of the message. */
export function refuseOtherOptions(command: string, options: Options, allowed: readonly OptionName[]): void {
  const other = Object.keys(options).find((name) => !allowed.some((one) => one === name))
  if (other === undefined) return
  const known = allowed.length === 0 ? 'none' : allowed.map((name) => `--${name}`).join(', ')
  throw new Error(`${command}: --${other} is not an option of ${command}. Options: ${known}`)
}

/** Throws an Error that names the arguments if there are more than `most`. */
export function refuseArguments(command: string, args: readonly string[], most: number, remedy: string): void {
  if (args.length <= most) return
  const expected = most === 0 ? 'no argument' : 'at most one argument'
  throw new Error(`${command}: expected ${expected}, got ${args.map((arg) => `"${arg}"`).join(', ')}. ${remedy}`)
}
