import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { type Log, lineLog } from '../../gateway/telemetry/log.ts'

interface LogFile {
  readonly log: Log
  /** Writes the last lines. Resolves with null, or with a message if a line was not written. */
  close(): Promise<string | null>
}

/** Appends the lines of the server's log to a file. Rejects with an Error that names the option and the file. */
export async function openLogFile(file: string): Promise<LogFile> {
  const stream = createWriteStream(file, { flags: 'a' })
  const opened = once(stream, 'open')
  const done = finished(stream)
  // A failure in the middle of the launch is reported at its end.
  done.catch(() => undefined)
  try {
    await opened
  } catch (error) {
    throw new Error(`--log: ${toUnwritten(file, error)}. Check its path and its permissions.`)
  }
  return {
    log: lineLog((text) => stream.write(text), Date.now),
    close() {
      stream.end()
      return done.then(
        () => null,
        (error) => `--log: ${toUnwritten(file, error)}. Its last lines are missing.`,
      )
    },
  }
}

const toUnwritten = (file: string, error: unknown): string =>
  `${file === '' ? 'a file without a name' : file} cannot be written (${codeOf(error)})`

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
