import { didYouMean } from '../../gateway/config/did-you-mean.ts'
import { findNamed } from '../names.ts'
import type { Choices, CommandDefinition } from './command.ts'
import type { ParsedCall } from './parser.ts'

/** The message for an option that a command does not have. */
export function unknownOption({ name, options }: CommandDefinition, flag: string): string {
  const known = Object.keys(options).map((long) => `--${long}`)
  const list = known.length === 0 ? 'none' : known.join(', ')
  return `${name}: ${flag} is not an option of ${name}.${didYouMean(flag, known)} Options: ${list}`
}

/** Throws an Error that names the arguments if there are more than `most`. */
export function refuseArguments(command: string, args: readonly string[], most: number, remedy: string): void {
  if (args.length <= most) return
  const expected = most === 0 ? 'no argument' : 'at most one argument'
  throw new Error(`${command}: expected ${expected}, got ${args.map((arg) => `"${arg}"`).join(', ')}. ${remedy}`)
}

/** Throws an Error for more arguments than a command takes, and for a value that is none of the choices. */
export async function checkValues({ name, args, options }: CommandDefinition, call: ParsedCall): Promise<void> {
  refuseArguments(name, call.args, args?.most ?? 0, args?.remedy ?? `Run millrace ${name} --help.`)
  for (const [long, { choices, isOpen = false }] of Object.entries(options)) {
    const value = call.options[long]
    if (typeof value === 'string' && choices !== undefined && !isOpen) await checkValue(`--${long}`, value, choices)
  }
}

async function checkValue(flag: string, value: string, choices: Choices): Promise<void> {
  const known = await choices()
  findNamed(flag, value, known, (name) => known.find((one) => one === name))
}
