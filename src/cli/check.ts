import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { detectDialect, inspectStream } from '../dialects/check.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { findDialect } from '../dialects/registry.ts'
import { endWhenHeard } from './heard-enough.ts'

const CLEAN = 0
const VIOLATIONS = 1
const FAILED = 2

/** Checks streams, the standard input where no file is named. Exit code 1: one has a violation; 2: one cannot be read. */
export async function check(files: readonly string[], options: { readonly dialect?: string }): Promise<number> {
  endWhenHeard()
  const dialect = options.dialect === undefined ? undefined : findDialect(options.dialect)
  if (options.dialect !== undefined && dialect === undefined) {
    process.stderr.write(`millrace: --dialect does not know "${options.dialect}"\n`)
    return FAILED
  }
  let worst = CLEAN
  for (const file of files.length === 0 ? ['-'] : files) worst = Math.max(worst, await checkFile(file, dialect))
  return worst
}

async function checkFile(file: string, dialect: Dialect | undefined): Promise<number> {
  const text = await read(file)
  if (text === undefined) return FAILED
  const { violations, events } = inspectStream(text, dialect ?? detectDialect(text))
  const lines = violations.map(({ event, rule, message }) => {
    return `${file}: ${event === null ? 'stream' : `event ${event}`}: [${rule}] ${message}\n`
  })
  process.stdout.write(lines.length === 0 ? `${file}: clean, ${events} events\n` : lines.join(''))
  return lines.length === 0 ? CLEAN : VIOLATIONS
}

async function read(file: string): Promise<string | undefined> {
  try {
    // Not a TextDecoder: it would hide a byte order mark.
    return (file === '-' ? await buffer(process.stdin) : await readFile(file)).toString('utf8')
  } catch (error) {
    process.stderr.write(`millrace: ${file}: ${error instanceof Error ? error.message : String(error)}\n`)
    return undefined
  }
}
