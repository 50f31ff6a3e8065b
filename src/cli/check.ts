import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { detectDialect, inspectStream } from '../dialects/check-stream.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { DIALECTS, findDialect } from '../dialects/registry.ts'
import { createFileReport } from './files/file-report.ts'
import { ANSWERED, inputFiles } from './files/input-files.ts'
import { findNamed } from './names.ts'
import { STDIN, type Streams } from './streams.ts'

const CLEAN = 0
const VIOLATIONS = 1
const FAILED = 2

export interface CheckOptions {
  /** The name of the dialect. Default: detected from each stream. */
  readonly dialect?: string
}

/**
 * Checks streams; without a file, the standard input. Exit code 1: a stream has a violation; 2: a file cannot be read.
 */
export async function check(
  files: readonly string[],
  { dialect: name }: CheckOptions,
  streams: Streams = process,
): Promise<number> {
  const dialect = name === undefined ? undefined : findNamed('--dialect', name, Object.keys(DIALECTS), findDialect)
  const inputs = await inputFiles('check', files, streams, ANSWERED)
  const report = createFileReport(streams, inputs.length, { fine: 'clean', damaged: 'with violations' }, true)
  let worst = CLEAN
  for (const file of inputs) {
    report.start(file)
    const code = await checkFile(file, dialect, streams)
    report.end(code === CLEAN ? 'fine' : code === VIOLATIONS ? 'damaged' : 'unreadable')
    worst = Math.max(worst, code)
  }
  report.finish()
  return worst
}

async function checkFile(file: string, dialect: Dialect | undefined, streams: Streams): Promise<number> {
  const text = await read(file, streams)
  if (text === undefined) return FAILED
  const { violations, events } = inspectStream(text, dialect ?? detectDialect(text))
  const lines = violations.map(({ event, rule, message }) => {
    return `${file}: ${event === null ? 'stream' : `event ${event}`}: [${rule}] ${message}\n`
  })
  streams.stdout.write(lines.length === 0 ? `${file}: clean, ${events} events\n` : lines.join(''))
  return lines.length === 0 ? CLEAN : VIOLATIONS
}

async function read(file: string, { stdin, stderr }: Streams): Promise<string | undefined> {
  try {
    // A TextDecoder would hide a byte order mark.
    return (file === STDIN ? await buffer(stdin) : await readFile(file)).toString('utf8')
  } catch (error) {
    stderr.write(`millrace: ${file}: ${error instanceof Error ? error.message : String(error)}\n`)
    return undefined
  }
}
