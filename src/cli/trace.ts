import { findTarget, TARGET_NAMES } from '../alignment/named-target.ts'
import { type TracedFrame, type TraceEnd, traceBody, traceStream } from '../alignment/trace-frames.ts'
import { inputFiles, RECORDED } from './files/input-files.ts'
import { readRecordingFile, recordingFault } from './files/recording-file.ts'
import { chooseWire, vendorRow } from './files/wire-choice.ts'
import { findNamed } from './names.ts'
import { lineStyle } from './output/line-style.ts'
import { frameLine, outcomeLines, writtenLines } from './output/trace-lines.ts'
import { STDIN, type Streams } from './streams.ts'
import { headOf, quirksOf } from './translate.ts'

const CLEAN = 0
const VIOLATIONS = 1
const DEFAULT_TARGET = 'openai'

/** The options of the command; their help has the meanings. */
export interface TraceCallOptions {
  readonly from?: string
  readonly vendor?: string
  readonly to?: string
  readonly slow?: boolean
  readonly bytes?: boolean
  readonly paths?: boolean
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
  const target = findNamed('--to', options.to ?? DEFAULT_TARGET, TARGET_NAMES, findTarget)
  const vendor = vendorRow(options.vendor, streams)
  const choose = chooseWire(options.from, vendor)
  const [input, ...others] = await inputFiles('trace', files, streams, RECORDED)
  if (others.length > 0)
    throw new Error(`trace: the folder has ${others.length + 1} recorded streams. Name one of them.`)
  const recording = await readRecordingFile(input?.file ?? STDIN, choose, streams)
  const { name, wire, isBody, bytes } = recording
  const quirks = quirksOf(vendor, wire)
  const traceRecording = isBody ? traceBody : traceStream
  const withBytes = options.bytes === true
  const withPaths = options.paths === true
  const print = (lines: readonly string[]): boolean => streams.stdout.write(lines.map((line) => `${line}\n`).join(''))
  const traceOptions = { wire, quirks, head: headOf(name), target, slow: options.slow === true }
  if (options.json === true) {
    const end = traceRecording(traceOptions, bytes, (frame) => print([frameJson(frame, withBytes)]))
    print([endJson(end)])
    return exitCode(end)
  }
  const style = lineStyle(streams.stdout, process.env)
  const end = traceRecording(traceOptions, bytes, (frame) =>
    print([frameLine(frame, style, withPaths), ...(withBytes ? writtenLines(frame, style) : [])]),
  )
  print(outcomeLines(end, recordingFault(end.outcome, recording), style, withPaths))
  return exitCode(end)
}

const exitCode = ({ violations, differences }: TraceEnd): number =>
  violations.length === 0 && differences.length === 0 ? CLEAN : VIOLATIONS

const frameJson = ({ written, ...frame }: TracedFrame, withBytes: boolean): string =>
  JSON.stringify(withBytes ? { ...frame, written } : frame)

function endJson({ outcome, checked, violations, differences }: TraceEnd): string {
  const { status, model, usage, error, losses, chunks } = outcome
  return JSON.stringify({ outcome: { status, model, usage, error, losses, chunks }, checked, violations, differences })
}
