import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Figure } from './figure.ts'

/** A program that prints its figures as JSON objects, one a line. */
export interface Job {
  /** A compiled file of this folder, as `pipeline/stream.js`, or a file that is not compiled, as `peers/libraries.mjs`. */
  readonly program: string
  readonly words: readonly string[]
  /** One process a case is enough: counts, and sizes that no process changes. */
  readonly isOnce?: boolean
}

/** No job takes longer than this. */
const LIMIT_MS = 600_000

const pathOf = (program: string): string =>
  program.endsWith('.mjs') ? `bench/${program}` : fileURLToPath(new URL(program, import.meta.url))

/** Runs a job with a version of Node. Rejects with an Error if the program fails. */
export async function runJob(node: string, { program, words }: Job): Promise<readonly Figure[]> {
  const args = [pathOf(program), ...words]
  const { stdout } = await promisify(execFile)(node, args, { timeout: LIMIT_MS, maxBuffer: 1 << 26 })
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Figure)
}
