import { detectDialect, inspectStream } from '../dialects/check-stream.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { DIALECTS, findDialect } from '../dialects/registry.ts'
import { detectWire } from '../wires/detect-wire.ts'
import { createFileReport, type FileReport } from './files/file-report.ts'
import { ANSWERED, inputFiles } from './files/input-files.ts'
import { readInput, systemReason } from './files/read-input.ts'
import { findNamed } from './names.ts'
import type { Streams } from './streams.ts'

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
  for (const { file } of inputs) {
    report.start(file)
    worst = Math.max(worst, await checkFile(file, dialect, streams, report))
  }
  report.finish()
  return worst
}

async function checkFile(
  file: string,
  dialect: Dialect | undefined,
  streams: Streams,
  report: FileReport,
): Promise<number> {
  const bytes = await readInput(file, streams).catch(systemReason)
  if (typeof bytes === 'string') {
    report.unreadable(bytes)
    return FAILED
  }
  const { violations, events } = findingsOf(bytes, dialect)
  const isClean = violations.length === 0
  report.end(isClean ? 'fine' : 'damaged')
  const lines = isClean ? [`clean, ${events} events`] : violations
  streams.stdout.write(lines.map((line) => `${file}: ${line}\n`).join(''))
  return isClean ? CLEAN : VIOLATIONS
}

/** A line of an event stream that contributes to an event (HTML Standard, 9.2.6), or a comment. */
const A_FIELD = /^\ufeff?(?:data|event|id|retry)?:/m

function findingsOf(
  bytes: Buffer,
  dialect: Dialect | undefined,
): { readonly violations: readonly string[]; readonly events: number } {
  const wire = detectWire(bytes)
  if (wire !== null && wire !== 'openai-responses') {
    // Each frame would violate the grammar, and none would name the mistake.
    const remedy = 'Check its translation: millrace translate --to openai FILE | millrace check'
    return { violations: [`not a Responses stream, but one of ${wire}. ${remedy}`], events: 0 }
  }
  if (bytes.length === 0)
    return { violations: ['empty: expected a stream. To check a server, name its URL: millrace check URL'], events: 0 }
  // A TextDecoder would hide a byte order mark.
  const text = bytes.toString('utf8')
  if (!A_FIELD.test(text))
    return { violations: ['not an event stream: no line begins with data:, event:, id: or retry:'], events: 0 }
  const { violations, events } = inspectStream(text, dialect ?? detectDialect(text))
  return {
    violations: violations.map(({ event, rule, message }) => {
      return `${event === null ? 'stream' : `event ${event}`}: [${rule}] ${message}`
    }),
    events,
  }
}
