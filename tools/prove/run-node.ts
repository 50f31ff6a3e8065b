import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `status`: the exit code; null if a signal ended the program. */
interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a program of Node to its end. Its output goes to files, because `process.exit` drops what a full pipe has not
 * taken yet: a busy machine reads a pipe late.
 */
export function runNode(args: readonly string[], cwd: string): Ended {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-output-'))
  const [out, errors] = [join(folder, 'stdout'), join(folder, 'stderr')]
  const [outFile, errorFile] = [openSync(out, 'w'), openSync(errors, 'w')]
  try {
    const { status } = spawnSync(process.execPath, args, { cwd, stdio: ['ignore', outFile, errorFile] })
    return { status, stdout: readFileSync(out, 'utf8'), stderr: readFileSync(errors, 'utf8') }
  } finally {
    closeSync(outFile)
    closeSync(errorFile)
    rmSync(folder, { recursive: true })
  }
}
