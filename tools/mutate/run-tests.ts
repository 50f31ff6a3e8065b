import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Longer than any file of tests takes on a busy machine. */
const LONGEST_MS = 1_800_000
/** The output of a run in which nothing has happened for so long is not waited for. */
const SILENT_MS = 400_000

interface Options {
  readonly root: string
  /** The files of tests, all without any. */
  readonly files: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

/** The files whose tests failed, or undefined where the run did not end. */
export type FailedFiles = readonly string[] | undefined

/** Runs tests in a group of processes of their own, because a changed loop may never end. */
export function runTests({ root, files, env = {}, args = [] }: Options): Promise<FailedFiles> {
  const results = join(root, 'results.json')
  rmSync(results, { force: true })
  const child = spawn(
    'npx',
    [
      'vitest',
      'run',
      '--project',
      'unit',
      '--project',
      'host',
      '--reporter=default',
      '--reporter=json',
      ...args,
    ].concat(`--outputFile.json=${results}`, '--testTimeout=60000', '--passWithNoTests', files),
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
      env: { ...process.env, ...preload(root), ...env },
    },
  )
  return new Promise((resolve) => {
    const startedAt = performance.now()
    let heardAt = startedAt
    child.stdout.on('data', () => {
      heardAt = performance.now()
    })
    const timer = setInterval(() => {
      const now = performance.now()
      if (now - heardAt < SILENT_MS && now - startedAt < LONGEST_MS) return
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, 1000)
    child.on('exit', () => {
      clearInterval(timer)
      resolve(existsSync(results) && statSync(results).size > 0 ? failedOf(root, results) : undefined)
    })
  })
}

const preload = (root: string): Record<string, string> => ({
  NODE_OPTIONS: `--import=${join(root, 'tools/mutate/preload.mjs')}`,
})

function failedOf(root: string, results: string): string[] {
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as {
    testResults: readonly { readonly name: string; readonly status: string }[]
  }
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name.slice(root.length + 1))
}
