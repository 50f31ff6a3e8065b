import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Outcome } from '../engine/outcome.ts'
import type { ErrorCode } from '../protocol/error-codes.ts'
import type { Wire } from '../wires/contract.ts'
import { STDIN, type Streams } from './streams.ts'

export interface RecordingFile {
  readonly name: string
  readonly bytes: Uint8Array
  /** The file holds a whole body instead of a stream. */
  readonly isBody: boolean
}

/** Reads a recording. Throws an Error that names the command, the file and the reason if it cannot be read. */
export async function readRecordingFile(
  command: string,
  file: string,
  wire: Wire,
  streams: Streams,
): Promise<RecordingFile> {
  try {
    return file === STDIN ? await readInput(wire, streams) : await readNamed(file)
  } catch (error) {
    const reason = reasonOf(error)
    throw new Error(`${command}: "${file}" cannot be read: ${reason}. Name a recording, or - for the standard input.`)
  }
}

/** The standard input has no extension: among streams, only NDJSON starts with an object. */
async function readInput({ framing }: Wire, { stdin }: Streams): Promise<RecordingFile> {
  const bytes = await buffer(stdin)
  const isBody = framing !== 'ndjson' && /^\s*\{/.test(bytes.subarray(0, 1000).toString('utf8'))
  return { name: 'stdin', bytes, isBody }
}

async function readNamed(file: string): Promise<RecordingFile> {
  const { name, ext } = path.parse(file)
  return { name, bytes: await readFile(file), isBody: ext === '.json' }
}

/** Error codes of the gateway for a defect of the recording, as opposed to an error in the answer. */
const BROKEN: ReadonlySet<string> = new Set<ErrorCode>(['upstream_truncated', 'upstream_invalid', 'upstream_too_large'])

/** Why a recording is not a whole answer; null if it is one. */
export function recordingFault({ error, hasOutput }: Outcome, wire: Wire, file: RecordingFile): string | null {
  if (error === null || !BROKEN.has(error.code)) return null
  if (hasOutput) return error.message
  const reason = isTextOfEvents(wire, file)
    ? 'expected the bytes of an AWS event stream (as in NAME.stream.bin), got their text.'
    : `${error.message} Check --from.`
  return `no answer of the wire ${wire.name} found: ${reason}`
}

const OBJECT = 0x7b

/** The fixtures have the events of an AWS event stream as lines of JSON as well, for readers. */
const isTextOfEvents = ({ framing }: Wire, { isBody, bytes }: RecordingFile): boolean =>
  framing === 'eventstream' && !isBody && bytes[0] === OBJECT

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
