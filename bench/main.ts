import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CUTS } from './inputs.ts'

const program = fileURLToPath(new URL('./stream.js', import.meta.url))

/** One process a stream and cut: what one case has made of the code is not paid by the next. */
function measure(fixture: string, cut: string): string[] {
  const run = spawnSync(process.execPath, [program, fixture, cut], { encoding: 'utf8' })
  if (run.status !== 0) throw new Error(`${fixture}, ${cut}: ${run.stderr}`)
  return run.stdout.split('\n').filter((line) => line.startsWith('| '))
}

const rows = ['hello', 'reasoning'].flatMap((fixture) => Object.keys(CUTS).flatMap((cut) => measure(fixture, cut)))
const title = `Node ${process.version}; floor = 1, higher is faster; medians of three rounds`
process.stdout.write(`${title}\n\n| stream, read | what | × floor |\n|---|---|---|\n${rows.join('\n')}\n`)
