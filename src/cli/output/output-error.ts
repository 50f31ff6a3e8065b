import type { Streams } from '../streams.ts'

const FAILED = 2

/**
 * Ends the process if the standard output cannot be written: without an error if its reader closes the pipe early, as in
 * `| head`; otherwise with the reason and exit code 2.
 */
export function endOnOutputError({ stdout, stderr }: Streams): void {
  // A message without a reader changes neither the output nor the exit code.
  stderr.on('error', () => undefined)
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    stderr.write(`millrace: the output cannot be written: ${error.message}\n`, () => process.exit(FAILED))
  })
}
