import { Readable, Writable } from 'node:stream'
import { runCli } from '../../src/cli/run.ts'

// The colours of the test run are none of the commands'.
delete process.env.FORCE_COLOR

export interface Result {
  readonly code: number
  /** The text that the command printed on the standard output. */
  readonly output: string
  /** The text that the command printed on the standard error. */
  readonly complaint: string
}

/**
 * Runs the command line with `input` as its standard input, which is a terminal for `terminal`. `columns` is the width of a terminal; if it is omitted, the
 * output is not a terminal.
 */
export async function runCommand(
  args: readonly string[],
  input: Uint8Array | 'terminal' = new Uint8Array(),
  columns?: number,
): Promise<Result> {
  const [stdout, stderr] = [collecting(), collecting()]
  const terminal = columns === undefined ? {} : { isTTY: true, columns }
  const code = await runCli(args, {
    stdin: input === 'terminal' ? Object.assign(Readable.from([]), { isTTY: true }) : Readable.from([input]),
    stdout: Object.assign(stdout.stream, terminal),
    stderr: stderr.stream,
  })
  return { code, output: stdout.text(), complaint: stderr.text() }
}

/** A stream that keeps its text. */
export function collecting(): { readonly stream: Writable; readonly text: () => string } {
  const pieces: Buffer[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      pieces.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(pieces).toString() }
}
