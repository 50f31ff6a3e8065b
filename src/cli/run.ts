import { VERSION } from '../protocol/version.ts'
import { COMMANDS } from './commands.ts'
import { releaseHangUps } from './hang-up.ts'
import { endOnOutputError } from './output/output-error.ts'
import { helpStyle } from './output/terminal.ts'
import type { CommandDefinition } from './program/command.ts'
import { overview } from './program/overview.ts'
import type { ParsedCall } from './program/parser.ts'
import type { Streams } from './streams.ts'

const DONE = 0
const CALLED_WRONGLY = 2

const VERSION_FLAGS: readonly string[] = ['--version', '-v', '-V']
const HELP_FLAGS: readonly string[] = ['--help', '-h']

/** Runs one command. Resolves with the exit code: 0 done, 1 the command found a defect, 2 the call was wrong. */
export async function runCli(args: readonly string[], streams: Streams): Promise<number> {
  try {
    return await dispatch(args, streams)
  } catch (error) {
    streams.stderr.write(`millrace: ${error instanceof Error ? error.message : String(error)}\n`)
    return CALLED_WRONGLY
  }
}

async function dispatch([first = '', ...rest]: readonly string[], streams: Streams): Promise<number> {
  const command = COMMANDS.get(first)
  if (command?.isServer !== true) endAsUsual(streams)
  if (command !== undefined) {
    const call = await parse(command, rest)
    if (call !== 'help') return command.run({ ...call, streams, commands: [...COMMANDS.values()] })
    endAsUsual(streams)
    return printHelp(command, streams)
  }
  if (VERSION_FLAGS.includes(first)) {
    await refuseMore('--version', rest, 0, 'Give --version alone.')
    return print(streams, `${VERSION}\n`)
  }
  if (first === '' || first === 'help' || HELP_FLAGS.includes(first)) {
    const [name = '', ...others] = rest
    await refuseMore('help', others.length === 0 ? [] : rest, 1, 'Name one command.')
    if (name === '' || HELP_FLAGS.includes(name))
      return print(streams, overview([...COMMANDS.values()], helpStyle(streams, process.env)))
    const named = COMMANDS.get(name)
    if (named === undefined) throw new Error(await unknownCommand(name))
    return printHelp(named, streams)
  }
  throw new Error(await (first.startsWith('-') ? optionFirst(first) : unknownCommand(first)))
}

/** Servers handle hang-ups and errors of their output themselves. */
function endAsUsual(streams: Streams): void {
  releaseHangUps()
  endOnOutputError(streams)
}

async function parse(command: CommandDefinition, args: readonly string[]) {
  const end = args.indexOf('--')
  const [own, passed] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end + 1)]
  const [{ parseCall }, { unknownOption, checkValues }] = await Promise.all([
    import('./program/parser.ts'),
    import('./program/call-errors.ts'),
  ])
  const parsed = parseCall(command, own, (flag) => unknownOption(command, flag))
  if (parsed === 'help') return parsed
  const call: ParsedCall & { readonly passed: readonly string[] } =
    command.passed === undefined ? { ...parsed, args: [...parsed.args, ...passed], passed: [] } : { ...parsed, passed }
  await checkValues(command, call)
  return call
}

async function refuseMore(command: string, args: readonly string[], most: number, remedy: string): Promise<void> {
  if (args.length <= most) return
  const { refuseArguments } = await import('./program/call-errors.ts')
  refuseArguments(command, args, most, remedy)
}

async function unknownCommand(name: string): Promise<string> {
  const { unknownName } = await import('./names.ts')
  return unknownName('command', name, [...COMMANDS.keys(), 'help'], { suggested: LONG_FLAGS })
}

const LONG_FLAGS: readonly string[] = ['--version', '--help']

async function optionFirst(given: string): Promise<string> {
  const [flag = ''] = given.split('=', 1)
  const owner = [...COMMANDS.values()].find(({ options }) => Object.hasOwn(options, flag.slice(2)))
  if (owner !== undefined && flag.startsWith('--'))
    return `${flag}: expected a command first, such as millrace ${owner.name} ${flag}. Run millrace --help.`
  const { didYouMean } = await import('../text/did-you-mean.ts')
  return `${flag}: expected a command first.${didYouMean(flag, LONG_FLAGS)} Run millrace --help.`
}

function print({ stdout }: Streams, text: string): number {
  stdout.write(text)
  return DONE
}

async function printHelp(command: CommandDefinition, streams: Streams): Promise<number> {
  const { helpOf } = await import('./program/parser.ts')
  return print(streams, await helpOf(command, helpStyle(streams, process.env)))
}
