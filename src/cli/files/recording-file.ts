import path from 'node:path'
import type { Outcome } from '../../engine/outcome.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'
import type { Wire } from '../../wires/contract.ts'
import { detectWire } from '../../wires/detect-wire.ts'
import { STDIN, type Streams } from '../streams.ts'
import { readInput } from './read-input.ts'
import type { WireChoice } from './wire-choice.ts'

interface RecordingFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly wire: Wire
  /** The file holds a whole body instead of a stream. */
  readonly isBody: boolean
}

/**
 * Reads a recording. Throws an Error that names the file and the reason if it cannot be read, or if its wire is not
 * certain.
 */
export async function readRecordingFile(file: string, choose: WireChoice, streams: Streams): Promise<RecordingFile> {
  const bytes = await readInput(file, streams)
  const wire = choose(file, bytes)
  if (file === STDIN) return { name: 'stdin', bytes, wire, isBody: isBodyText(wire, bytes) }
  const { name, ext } = path.parse(file)
  return { name, bytes, wire, isBody: ext === '.json' }
}

/** The standard input has no extension: among streams, only NDJSON starts with an object. */
const isBodyText = ({ framing }: Wire, bytes: Buffer): boolean =>
  framing.format !== 'ndjson' && /^\s*\{/.test(bytes.subarray(0, 1000).toString('utf8'))

/** Error codes of the gateway for a defect of the recording, as opposed to an error in the answer. */
const BROKEN: ReadonlySet<string> = new Set<ErrorCode>(['upstream_truncated', 'upstream_invalid', 'upstream_too_large'])

/** Why a recording is not a whole answer; null if it is one. */
export function recordingFault({ error, hasOutput }: Outcome, file: RecordingFile): string | null {
  if (error === null || !BROKEN.has(error.code)) return null
  if (hasOutput) return error.message
  return `no answer of the wire ${file.wire.name} found: ${whyNoAnswer(error.message, file)}`
}

function whyNoAnswer(message: string, file: RecordingFile): string {
  if (isTextOfEvents(file)) return 'expected the bytes of an AWS event stream (as in NAME.stream.bin), got their text.'
  const detected = detectWire(file.bytes)
  if (detected !== null && detected !== file.wire.name)
    return `its bytes have the protocol ${detected}. Pass --from ${detected}, or neither --from nor --vendor.`
  return `${message.replace(/ Check its protocol\.$/, '')} Check --from.`
}

const OBJECT = 0x7b

/** The fixtures have the events of an AWS event stream as lines of JSON as well, for readers. */
const isTextOfEvents = ({ wire, isBody, bytes }: RecordingFile): boolean =>
  wire.framing.name === 'eventstream' && !isBody && bytes[0] === OBJECT
