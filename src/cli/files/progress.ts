import type { Env } from '../../gateway/config/secrets.ts'
import { printable } from '../output/line-style.ts'
import { hasControls } from '../output/terminal.ts'
import type { Streams } from '../streams.ts'

/** The progress of a command with many files: one line of a terminal, which its end removes. */
interface Progress {
  show(done: number, file: string): void
  clear(): void
}

const NONE: Progress = { show: () => undefined, clear: () => undefined }

const PAUSE_MS = 50
const DEFAULT_WIDTH = 80
const CLEAR = '\r\u001b[2K'

/**
 * Without an effect if the standard error is no terminal, or if the output is written to one as well. `clock` returns
 * milliseconds.
 */
export function createProgress(
  { stdout, stderr }: Streams,
  total: number,
  writesOutput: boolean,
  clock: () => number = () => performance.now(),
  env: Env = process.env,
): Progress {
  if (!hasControls(stderr, env) || (writesOutput && stdout.isTTY === true)) return NONE
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(done, file) {
      const now = clock()
      if (now - shownAt < PAUSE_MS) return
      shownAt = now
      const line = `${done}/${total} ${printable(file)}`
      stderr.write(CLEAR + line.slice(0, (stderr.columns || DEFAULT_WIDTH) - 1))
    },
    clear() {
      if (shownAt !== Number.NEGATIVE_INFINITY) stderr.write(CLEAR)
    },
  }
}
