import type { Streams } from '../streams.ts'
import { createProgress } from './progress.ts'

/** How a file ended. */
type FileResult = 'fine' | 'damaged' | 'unreadable'

/** The messages about the files of one call, on the standard error. */
export interface FileReport {
  start(file: string): void
  /** Adds a message about a file. */
  note(file: string, text: string): void
  /** Writes why the file cannot be read. */
  unreadable(reason: string): void
  end(result: Exclude<FileResult, 'unreadable'>, hasLosses?: boolean): void
  /** Writes the messages that were kept back, and the counts. */
  finish(): void
}

/** Above this number of files, equal messages are counted, and the counts of results follow. */
const FEW = 10
const MOST_GROUPS = 20

interface ReportNames {
  /** The participle for a file without a fault. */
  readonly fine: string
  readonly damaged: string
}

/** `writesOutput`: the output of the command is written to the standard output. */
export function createFileReport(
  streams: Streams,
  total: number,
  { fine, damaged }: ReportNames,
  writesOutput: boolean,
): FileReport {
  const { stderr } = streams
  const groups = new Map<string, { readonly first: string; count: number }>()
  const counts: Record<FileResult, number> = { fine: 0, damaged: 0, unreadable: 0 }
  const progress = createProgress(streams, total, writesOutput)
  const isLong = total > FEW
  let [done, withLosses] = [0, 0]
  return {
    start(file) {
      if (isLong) progress.show(done, file)
    },
    note(file, text) {
      if (!isLong) return void stderr.write(`millrace: ${file}: ${text}\n`)
      const group = groups.get(text)
      if (group === undefined) groups.set(text, { first: file, count: 1 })
      else group.count++
    },
    unreadable(reason) {
      // The line of the progress has no end of its own.
      progress.clear()
      stderr.write(`millrace: ${reason}\n`)
      done++
      counts.unreadable++
    },
    end(result, hasLosses = false) {
      done++
      counts[result]++
      if (hasLosses) withLosses++
    },
    finish() {
      if (!isLong) return
      progress.clear()
      const all = [...groups].sort(([, one], [, other]) => other.count - one.count)
      for (const [text, { first, count }] of all.slice(0, MOST_GROUPS)) {
        const others = count === 1 ? '' : count === 2 ? ' and 1 other file' : ` and ${count - 1} other files`
        stderr.write(`millrace: ${first}${others}: ${text}\n`)
      }
      if (all.length > MOST_GROUPS) stderr.write(`millrace: and ${all.length - MOST_GROUPS} other messages\n`)
      const parts = [`${counts.fine} ${fine}`, `${counts.damaged} ${damaged}`, `${counts.unreadable} unreadable`]
      if (withLosses > 0) parts.push(`${withLosses} with losses`)
      stderr.write(`millrace: ${total} files: ${parts.join(', ')}\n`)
    },
  }
}
