import { findWire, WIRES } from '../wires/registry.ts'
import { findNamed } from './names.ts'
import { readRecordingFile, recordingFault } from './recording-file.ts'
import { STDIN, type Streams } from './streams.ts'
import { findTarget, TARGET_NAMES } from './target.ts'
import { type TracedFrame, type TraceEnd, traceBody, traceStream } from './trace-frames.ts'
import { frameLine, type LineStyle, outcomeLines, writtenLines } from './trace-lines.ts'
import { headOf, quirksOf } from './translate.ts'

const CLEAN = 0
const VIOLATIONS = 1
const DEFAULT_TARGET = 'openai'
const DEFAULT_WIDTH = 120

/** The options of the command; their help has the meanings. */
export interface TraceCallOptions {
  readonly from?: string
  readonly vendor?: string
  readonly to?: string
  readonly slow?: boolean
  readonly bytes?: boolean
  readonly json?: boolean
}

/**
 * Prints one line for each frame of a recording, then the outcome. Exit code 1: the grammar checker found a violation,
 * or the two paths of the engine wrote different bytes.
 */
export async function trace(
  files: readonly string[],
  options: TraceCallOptions,
  streams: Streams = process,
): Promise<number> {
  const wire = findNamed('--from', options.from, Object.keys(WIRES), findWire)
  const target = findNamed('--to', options.to ?? DEFAULT_TARGET, TARGET_NAMES, findTarget)
  const quirks = quirksOf(options.vendor, wire.name, streams)
  const file = oneFile(files)
  const recording = await readRecordingFile('trace', file, wire, streams)
  const { name, isBody, bytes } = recording
  const traceRecording = isBody ? traceBody : traceStream
  const withBytes = options.bytes === true
  const print = (lines: readonly string[]): boolean => streams.stdout.write(lines.map((line) => `${line}\n`).join(''))
  const traceOptions = { wire, quirks, head: headOf(name), target, slow: options.slow === true }
  if (options.json === true) {
    const end = traceRecording(traceOptions, bytes, (frame) => print([frameJson(frame, withBytes)]))
    print([endJson(end)])
    return exitCode(end)
  }
  const style = styleOf(streams)
  const end = traceRecording(traceOptions, bytes, (frame) =>
    print([frameLine(frame, style), ...(withBytes ? writtenLines(frame, style) : [])]),
  )
  print(outcomeLines(end, recordingFault(end.outcome, wire, recording), style))
  return exitCode(end)
}

function oneFile(files: readonly string[]): string {
  const [file = STDIN, ...more] = files
  if (more.length === 0) return file
  throw new Error(`trace: expected one FILE, and got ${files.length}: ${files.join(', ')}. Run it once for each.`)
}

const exitCode = ({ violations, differences }: TraceEnd): number =>
  violations.length === 0 && differences.length === 0 ? CLEAN : VIOLATIONS

/** https://no-color.org: any value but the empty one switches colours off. */
function styleOf({ stdout }: Streams): LineStyle {
  const { isTTY = false, columns = DEFAULT_WIDTH } = stdout
  return isTTY
    ? { width: columns, colours: (process.env.NO_COLOR ?? '') === '' }
    : { width: DEFAULT_WIDTH, colours: false }
}

const frameJson = ({ written, ...frame }: TracedFrame, withBytes: boolean): string =>
  JSON.stringify(withBytes ? { ...frame, written } : frame)

function endJson({ outcome, checked, violations, differences }: TraceEnd): string {
  const { status, model, usage, error, losses, chunks } = outcome
  return JSON.stringify({ outcome: { status, model, usage, error, losses, chunks }, checked, violations, differences })
}
