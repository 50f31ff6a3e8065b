/**
 * Measures how long the compiled program takes for `--version` and for a help, next to Node without a program.
 *
 *     npm run bench:start-up
 *
 * Prints the median and the 95th percentile of the runs in milliseconds. Exits with 1 if the median of `--version` is
 * above 150 ms.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const RUNS = 40
const MOST_MS = 150

const MAIN = fileURLToPath(new URL('../src/cli/main.js', import.meta.url))

const CASES: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['node -e ""', ['-e', '']],
  ['millrace --version', [MAIN, '--version']],
  ['millrace --help', [MAIN, '--help']],
  ['millrace translate --help', [MAIN, 'translate', '--help']],
]

/** Milliseconds from the start of the process to its end. */
function measure(args: readonly string[]): number {
  const startedAt = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with exit code ${status}`)
  return performance.now() - startedAt
}

const medians = CASES.map(([name, args]) => {
  measure(args)
  const times = Array.from({ length: RUNS }, () => measure(args)).sort((a, b) => a - b)
  const at = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? 0
  process.stdout.write(`${name.padEnd(26)} ${at(0.5).toFixed(0).padStart(4)} ms  (95 %: ${at(0.95).toFixed(0)} ms)\n`)
  return at(0.5)
})
if ((medians[1] ?? 0) > MOST_MS) process.exitCode = 1
