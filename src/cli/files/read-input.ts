import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { lookup } from '../../text/lookup.ts'
import { describePacked } from '../../text/packed-file.ts'
import { STDIN, type Streams } from '../streams.ts'

/**
 * The bytes of a file, or of the standard input. Throws an Error that names the file and the reason, also for compressed
 * bytes and archives.
 */
export async function readInput(file: string, streams: Streams): Promise<Buffer> {
  const bytes = await readBytes(file, streams)
  const packed = describePacked(bytes)
  if (packed !== null) throw new Error(`${shownFile(file)} ${packed}`)
  return bytes
}

async function readBytes(file: string, { stdin }: Streams): Promise<Buffer> {
  try {
    return await (file === STDIN ? buffer(stdin) : readFile(file))
  } catch (error) {
    throw new Error(unreadable(file, error))
  }
}

export const shownFile = (file: string): string => (file === STDIN ? 'the standard input' : `"${file}"`)

export const unreadable = (file: string, error: unknown): string =>
  `${shownFile(file)} cannot be read: ${systemReason(error)}.`

/** Writing makes a file that is missing, but not its folder. */
export const unwritable = (file: string, error: NodeJS.ErrnoException): string =>
  `${shownFile(file)} cannot be written: ${error.code === 'ENOENT' ? 'its folder does not exist' : systemReason(error)}.`

/** Errors of the system by their code. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'the permission is missing',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file',
  EPERM: 'the permission is missing',
  EROFS: 'the disk is read-only',
}

/** Why an operation failed, as a phrase without a full stop. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, message }: NodeJS.ErrnoException = error
  return lookup(REASONS, code ?? '') ?? message
}
