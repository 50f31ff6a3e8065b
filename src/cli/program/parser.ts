import { Command, CommanderError, type HelpConfiguration, Option } from 'commander'
import { isNonEmptyString } from '../../text/json.ts'
import { bold, type HelpStyle, PLAIN_HELP } from '../output/terminal.ts'
import type { Choices, CommandDefinition, OptionDefinition } from './command.ts'

/** A parsed command line of one command. */
export interface ParsedCall {
  /** The arguments before `--` that are no options. */
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, string | true>>
}

const flagsOf = (name: string, { value }: OptionDefinition): string =>
  value === undefined ? `--${name}` : `--${name} <${value}>`

const HELP_FLAGS = '-h, --help'

const STYLE: HelpConfiguration = {
  optionTerm: ({ flags }) => flags.replace(/[<>]/g, ''),
  styleTitle: (title) => bold(title, { ...PLAIN_HELP, colours: true }),
}

function toCommand({ name, description, options, args, passed }: CommandDefinition, style: HelpStyle): Command {
  const required = Object.entries(options).map(([long, { value, isRequired }]) =>
    isRequired === true ? ` --${long} ${value}` : '',
  )
  const optional = Object.keys(options).length === 0 ? '' : ' [options]'
  const rest = `${args === undefined || args.usage === '' ? '' : ` ${args.usage}`}${passed === undefined ? '' : ` [-- ${passed}]`}`
  const command = new Command(`millrace ${name}`)
    .usage(`${required.join('')}${optional}${rest}`.trimStart())
    .description(description)
    .allowExcessArguments()
    .showSuggestionAfterError(false)
    .helpOption(HELP_FLAGS, 'prints this help')
    .configureHelp(STYLE)
    .configureOutput({
      writeErr: () => undefined,
      getOutHelpWidth: () => style.width,
      getOutHasColors: () => style.colours,
    })
    .exitOverride()
  for (const [long, option] of Object.entries(options)) {
    const parsed = new Option(flagsOf(long, option), option.help)
    if (option.value !== undefined)
      parsed.argParser((value: string, previous: string | undefined) =>
        option.isList === true ? [previous, value].filter(isNonEmptyString).join() : once(long, value, previous),
      )
    command.addOption(parsed)
  }
  return command
}

function once(name: string, value: string, previous: string | undefined): string {
  if (previous === undefined) return value
  throw new Error(`--${name}: expected one value, got a second one. Give it once.`)
}

/** The help of a command, with the values of its options and its examples. */
export async function helpOf(definition: CommandDefinition, style: HelpStyle): Promise<string> {
  const command = toCommand(definition, style)
  const lists = await listedChoices(definition, style.width)
  const examples = definition.examples.map((line) => `  ${line}\n`).join('')
  const heading = definition.examples.length === 1 ? 'Example:' : 'Examples:'
  const after = [...lists, { heading, text: examples }].map(({ heading, text }) => `\n${bold(heading, style)}\n${text}`)
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) })
  command.outputHelp()
  return text + after.join('')
}

/** A section of a help; `text` ends with a line break. */
interface HelpSection {
  readonly heading: string
  readonly text: string
}

/** The values of the options and arguments of a command, one section for each name of a value. */
async function listedChoices({ options, args }: CommandDefinition, width: number): Promise<readonly HelpSection[]> {
  const all = new Map<string, Choices>()
  if (args?.choices !== undefined) all.set(args.usage, args.choices)
  for (const { value, choices } of Object.values(options)) {
    if (value !== undefined && choices !== undefined) all.set(value, choices)
  }
  return Promise.all(
    [...all].map(async ([name, choices]) => ({ heading: `${name}:`, text: wrap(await choices(), width) })),
  )
}

function wrap(names: readonly string[], width: number): string {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last === undefined || last.length + name.length + ',  '.length > width - 1) lines.push(`  ${name}`)
    else lines[lines.length - 1] = `${last}, ${name}`
  }
  return lines.map((line) => `${line}\n`).join('')
}

/**
 * Parses the arguments of one command. Returns `help` if they contain a request for its help. Throws an Error for an
 * unknown option, and for an option without a value or with two.
 */
export function parseCall(
  definition: CommandDefinition,
  args: readonly string[],
  unknownOption: (flag: string) => string,
): ParsedCall | 'help' {
  const command = toCommand(definition, PLAIN_HELP).configureOutput({ writeOut: () => undefined })
  try {
    command.parse([...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed') return 'help'
    const [, given = ''] = /'([\s\S]*)'/.exec(error.message) ?? []
    if (error.code === 'commander.unknownOption') throw new Error(unknownOption(given))
    const [flag = '', value = ''] = given.split(' ')
    throw new Error(`${flag}: expected a value, ${value.replace(/[<>]/g, '')}.`)
  }
  const values: Record<string, string | true> = {}
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName())
    if (typeof value === 'string' || value === true) values[option.name()] = value
  }
  return { args: command.args, options: values }
}
