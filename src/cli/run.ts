import { isatty } from 'node:tty'
import { VERSION } from '../protocol/version.ts'
import { check } from './check.ts'
import { releaseHangUps } from './hang-up.ts'
import { HELP, toHelp, USAGE } from './help.ts'
import { launch } from './launch/launch.ts'
import { unknownName } from './names.ts'
import { type OptionName, type Options, parse, refuseArguments, refuseOtherOptions } from './options.ts'
import { endOnOutputError } from './output-error.ts'
import { serve } from './serve.ts'
import type { Streams } from './streams.ts'
import { trace } from './trace.ts'
import { translateFiles } from './translate.ts'

interface Command {
  readonly options: readonly OptionName[]
  /** `passed`: those of `files` that follow `--`. */
  run(files: readonly string[], options: Options, streams: Streams, passed: readonly string[]): Promise<number>
}

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['serve', { options: ['config'], run: runServe }],
  ['launch', { options: ['model', 'config', 'log'], run: runLaunch }],
  ['translate', { options: ['from', 'to', 'vendor', 'collect', 'pieces', 'out'], run: translateFiles }],
  ['check', { options: ['dialect'], run: check }],
  ['trace', { options: ['from', 'vendor', 'to', 'slow', 'bytes', 'json'], run: trace }],
])

const STANDARD_STREAMS = [0, 1, 2]

const DONE = 0
const CALLED_WRONGLY = 2

/** Runs one command. Resolves with the exit code: 0 done, 1 the command found a defect, 2 the call was wrong. */
export async function runCli(args: readonly string[], streams: Streams): Promise<number> {
  try {
    const { values, positionals, passed } = parse(args)
    const [name = '', ...files] = positionals
    const isServer = name === 'serve' && values.help !== true && values.version !== true
    if (!isServer) {
      releaseHangUps()
      endOnOutputError(streams)
    }
    if (values.version === true) return printVersion(positionals, values, streams)
    if (name === 'help') return printHelp(files, values, streams)
    if (values.help === true) return print(streams, helpOn(name))
    if (name === '') {
      streams.stderr.write(USAGE)
      return CALLED_WRONGLY
    }
    const command = COMMANDS.get(name)
    if (command === undefined) throw new Error(unknownCommand(name))
    refuseOtherOptions(name, values, command.options)
    return await command.run(files, values, streams, passed)
  } catch (error) {
    streams.stderr.write(`millrace: ${error instanceof Error ? error.message : String(error)}\n`)
    return CALLED_WRONGLY
  }
}

function runServe(files: readonly string[], { config }: Options): Promise<number> {
  refuseArguments('serve', files, 0, 'Name the configuration file with --config FILE.')
  return serve(config === undefined ? {} : { config })
}

function runLaunch(
  files: readonly string[],
  options: Options,
  { stderr }: Streams,
  passed: readonly string[],
): Promise<number> {
  const [agent, ...others] = files.slice(0, files.length - passed.length)
  refuseArguments('launch', others, 0, 'Put the arguments of the agent after --.')
  const hasTerminal = STANDARD_STREAMS.some(isatty)
  return launch(agent, passed, options, { stderr, env: process.env, stdio: 'inherit', hasTerminal })
}

function printVersion(args: readonly string[], options: Options, streams: Streams): number {
  refuseArguments('--version', args, 0, 'Give --version alone.')
  refuseOtherOptions('--version', options, ['version'])
  return print(streams, `${VERSION}\n`)
}

function printHelp(names: readonly string[], options: Options, streams: Streams): number {
  refuseArguments('help', names, 1, 'Name one command.')
  refuseOtherOptions('help', options, ['help'])
  return print(streams, helpOn(names[0] ?? ''))
}

function print({ stdout }: Streams, text: string): number {
  stdout.write(text)
  return DONE
}

const unknownCommand = (name: string): string => unknownName('command', name, [...COMMANDS.keys(), 'help'])

function helpOn(name: string): string {
  if (name === '') return USAGE
  const help = HELP.get(name)
  if (help === undefined) throw new Error(unknownCommand(name))
  return toHelp(help)
}
