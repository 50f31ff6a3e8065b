import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
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
    const reason = messageOf(error)
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

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
