#!/usr/bin/env node
import { check } from './check.ts'
import { type Options, parse } from './options.ts'
import { serve } from './serve.ts'
import { translateFiles } from './translate.ts'

const USAGE = `usage:
  millrace serve [--config FILE]
  millrace translate --from WIRE --to WIRE|beta|openai [--vendor NAME] [--collect] [--pieces BYTES] [--out DIR] FILE...
  millrace check [--dialect beta|openai] [FILE...]

serve       the server; the configuration is FILE, or what MILLRACE_CONFIG names, or none
translate   recorded upstream bytes to a translated stream, or with --collect to the response object or the wire's body;
            with --out into DIR/<name>.<to>.sse or .ndjson, DIR/<name>.response.json or DIR/<name>.<wire>.json, else to
            the standard output; what was cut off, or is none of that wire, is told on the standard error
check       violations of the grammar of a Responses stream, with event numbers; exit code 1 if there is one
`

type Command = (files: readonly string[], options: Options) => Promise<number>

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['serve', (_files, { config }) => serve(config === undefined ? {} : { config })],
  ['translate', translateFiles],
  ['check', (files, { dialect }) => check(files, dialect === undefined ? {} : { dialect })],
])

/** Exit codes: 0 done, 1 the command found something wrong, 2 it was called wrongly. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parse(args)
    const [name = '', ...files] = positionals
    const command = COMMANDS.get(name)
    if (values.help === true || command === undefined) {
      process.stderr.write(USAGE)
      return values.help === true ? 0 : 2
    }
    return await command(files, values)
  } catch (error) {
    process.stderr.write(`millrace: ${error instanceof Error ? error.message : String(error)}\n`)
    return 2
  }
}

process.exitCode = await main(process.argv.slice(2))
