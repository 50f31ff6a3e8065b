import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { targetChoices } from '../program/choices.ts'
import { STDIN, type Streams } from '../streams.ts'
import { unreadable } from './read-input.ts'

/** The streams that a folder stands for. */
interface StreamKind {
  readonly name: string
  readonly extensions: readonly string[]
  isOne(stem: string, targets: readonly string[]): boolean
}

/** Outputs of `translate` in the same folder, NAME.TARGET.sse, are no recordings. Other files are often .json, too. */
export const RECORDED: StreamKind = {
  name: 'recorded stream',
  extensions: ['.sse', '.ndjson', '.jsonl', '.bin'],
  isOne: (stem, targets) => !targets.some((target) => stem.endsWith(`.${target}`)),
}

export const ANSWERED: StreamKind = { name: 'stream', extensions: ['.sse'], isOne: () => true }

export interface InputFile {
  /** `-` for the standard input. */
  readonly file: string
  /** Its folder within the folder of the call that stands for it; empty for a file that the call names. */
  readonly folder: string
}

/**
 * The files of a call: a folder stands for the streams in it and in its folders, sorted by path; no file for the
 * standard input. Throws an Error for a folder without recordings, for a repeated standard input, and for no file if
 * the standard input is a terminal.
 */
export async function inputFiles(
  command: string,
  given: readonly string[],
  { stdin }: Streams,
  kind: StreamKind,
): Promise<readonly InputFile[]> {
  if (given.length === 0 && stdin.isTTY === true) {
    throw new Error(`${command}: expected at least one FILE, or - for the standard input, or a pipe.`)
  }
  if (given.filter((file) => file === STDIN).length > 1) {
    throw new Error(`${command}: expected the standard input (-) at most once among the FILEs`)
  }
  const all = await Promise.all((given.length === 0 ? [STDIN] : given).map((file) => expand(command, file, kind)))
  return all.flat()
}

async function expand(
  command: string,
  file: string,
  { name: kind, extensions, isOne }: StreamKind,
): Promise<readonly InputFile[]> {
  if (file === STDIN || !(await isFolder(file))) return [{ file, folder: '' }]
  const names = await readdir(file, { recursive: true }).catch((error: unknown) => {
    throw new Error(unreadable(file, error))
  })
  const targets = await targetChoices()
  const isStream = (name: string): boolean => {
    const { name: stem, ext } = path.parse(name)
    return extensions.includes(ext) && isOne(stem, targets)
  }
  const found = names.filter(isStream).sort()
  if (found.length > 0) return found.map((name) => ({ file: path.join(file, name), folder: path.dirname(name) }))
  throw new Error(`${command}: the folder "${file}" has no ${kind} (${extensions.join(', ')}). Name its files.`)
}

const isFolder = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isDirectory(),
    // The reader of the file reports the reason.
    () => false,
  )
