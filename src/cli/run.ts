import { VERSION } from '../protocol/version.ts'
import { check } from './check.ts'
import { releaseHangUps } from './hang-up.ts'
import { HELP, toHelp, USAGE } from './help.ts'
import { unknownName } from './names.ts'
import { type Options, parse } from './options.ts'
import { serve } from './serve.ts'
import type { Streams } from './streams.ts'
import { trace } from './trace.ts'
import { translateFiles } from './translate.ts'

type Command = (files: readonly string[], options: Options, streams: Streams) => Promise<number>

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['serve', (_files, { config }) => serve(config === undefined ? {} : { config })],
  ['translate', translateFiles],
  ['check', check],
  ['trace', trace],
])

const DONE = 0
const CALLED_WRONGLY = 2

/** Runs one command. Resolves with the exit code: 0 done, 1 the command found a defect, 2 the call was wrong. */
export async function runCli(args: readonly string[], streams: Streams): Promise<number> {
  try {
    const { values, positionals } = parse(args)
    const [name = '', ...files] = positionals
    if (name !== 'serve') releaseHangUps()
    if (values.version === true) return print(streams, `${VERSION}\n`)
    if (name === 'help') return print(streams, helpOn(files[0] ?? ''))
    if (values.help === true) return print(streams, helpOn(name))
    if (name === '') {
      streams.stderr.write(USAGE)
      return CALLED_WRONGLY
    }
    const command = COMMANDS.get(name)
    if (command === undefined) throw new Error(unknownCommand(name))
    return await command(files, values, streams)
  } catch (error) {
    streams.stderr.write(`millrace: ${error instanceof Error ? error.message : String(error)}\n`)
    return CALLED_WRONGLY
  }
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
