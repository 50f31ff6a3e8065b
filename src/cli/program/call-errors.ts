import { didYouMean } from '../../text/did-you-mean.ts'
import { lookup } from '../../text/lookup.ts'
import { findNamed } from '../names.ts'
import type { Choices, CommandDefinition, OptionDefinitions } from './command.ts'
import type { ParsedCall } from './parser.ts'

/** The message for an option that a command does not have. */
export function unknownOption({ name, options, passed, args }: CommandDefinition, given: string): string {
  // The value may be a secret.
  const [flag = '', ...values] = given.split('=')
  const option = lookup(options, flag.replace(/^--/, ''))
  if (option !== undefined && option.value === undefined && values.length > 0) return `${name}: ${flag} takes no value.`
  const known = Object.keys(options).map((long) => `--${long}`)
  const list = known.length === 0 ? 'none' : known.join(', ')
  const remedy = passed === undefined ? '' : ` ${args?.remedy ?? ''}`
  return `${name}: ${flag} is not an option of ${name}.${didYouMean(flag, known)} Options: ${list}.${remedy}`
}

/** Throws an Error that names the arguments if there are more than `most`. */
export function refuseArguments(command: string, args: readonly string[], most: number, remedy: string): void {
  if (args.length <= most) return
  const expected = most === 0 ? 'no argument' : most === 1 ? 'at most one argument' : `at most ${most} arguments`
  throw new Error(`${command}: expected ${expected}, got ${args.map((arg) => `"${arg}"`).join(', ')}. ${remedy}`)
}

/** Throws an Error for more arguments than a command takes, for a value that is none of the choices, and without a required option. */
export async function checkValues({ name, args, options }: CommandDefinition, call: ParsedCall): Promise<void> {
  refuseArguments(name, call.args, args?.most ?? 0, args?.remedy ?? `Run millrace ${name} --help.`)
  for (const [long, { choices, isOpen = false }] of Object.entries(options)) {
    const value = call.options[long]
    if (typeof value === 'string' && choices !== undefined && !isOpen) await checkValue(`--${long}`, value, choices)
  }
  await refuseMissing(name, options, call)
}

async function refuseMissing(name: string, options: OptionDefinitions, call: ParsedCall): Promise<void> {
  for (const [long, { choices, help, isRequired = false }] of Object.entries(options)) {
    if (!isRequired || call.options[long] !== undefined) continue
    const known = choices === undefined ? '' : ` Expected one of: ${(await choices()).join(', ')}.`
    throw new Error(`${name}: --${long} is missing: ${help}.${known}`)
  }
}

async function checkValue(flag: string, value: string, choices: Choices): Promise<void> {
  const known = await choices()
  findNamed(flag, value, known, (name) => known.find((one) => one === name))
}
