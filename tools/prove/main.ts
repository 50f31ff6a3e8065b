import { spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/**
 * `npm run prove [-- --minutes N] [--only NAME]` runs every proof that is too long for `npm test`, one after another, and
 * prints one table. Each proof may take a share of the minutes, 40 by default, and is ended after twice its share, but
 * not before forty minutes, because some have a fixed length. The exit code is 1 if one of them failed. `--only` selects
 * proofs by their names.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string' }, only: { type: 'string' } } })
const total = Number(values.minutes ?? 40)

interface Proof {
  readonly name: string
  /** The part of the minutes that it may take. */
  readonly share: number
  /** `minutes`: its share. */
  readonly command: (minutes: number) => readonly string[]
}

const run = (script: string, ...args: readonly string[]): readonly string[] => [
  'npm',
  'run',
  '-s',
  script,
  '--',
  ...args,
]
const rounded = (minutes: number): string => String(Math.max(0.1, Math.round(minutes * 10) / 10))

const fuzz = (seed: number): Proof => ({
  name: `fuzz ${seed}`,
  share: 0.08,
  command: (minutes) => run('fuzz', '--minutes', rounded(minutes), '--seed', `${seed}`),
})

const chaos = (door: string): Proof => ({
  name: `chaos ${door}`,
  share: 0.08,
  command: (minutes) => run('chaos', '--minutes', rounded(minutes), '--door', door),
})

const WEEK_MS = 7 * 24 * 3_600_000

const oracle = (part: string): Proof => ({
  name: `oracle ${part}`,
  share: 0.12,
  command: () => ['node', '--import', 'tsx', 'tools/prove/oracle.ts', part],
})

const PROOFS: readonly Proof[] = [
  fuzz(77),
  fuzz(424_242),
  fuzz(352_582_828),
  chaos('node'),
  chaos('fetch'),
  {
    name: 'sessions',
    share: 0.05,
    command: (minutes) => run('sessions', '--scale', `${Math.max(1, Math.round(minutes / 2))}`),
  },
  {
    name: 'session laws',
    share: 0.15,
    command: (minutes) => ['node', '--import', 'tsx', 'tools/prove/session-laws.ts', rounded(minutes)],
  },
  { name: 'blocked', share: 0.1, command: () => run('test:blocked') },
  { name: 'soak', share: 0.14, command: (minutes) => run('soak', '--minutes', rounded(minutes), '--streams', '500') },
  oracle('streams'),
  oracle('bodies'),
  // A sample of the week: what no test catches, and nothing judges, fails.
  {
    name: 'mutants',
    share: 0.5,
    command: (minutes) =>
      run('mutate', '--count', '400', '--minutes', rounded(minutes), '--seed', `${Math.floor(Date.now() / WEEK_MS)}`),
  },
  { name: 'agents', share: 0.12, command: () => run('test:agents') },
]

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LONGEST_FIGURE = 160
const FEWEST_MINUTES = 40

interface Proved {
  readonly name: string
  readonly result: string
  readonly seconds: number
  /** The last line that it wrote. */
  readonly figure: string
}

/** Runs a proof in a process group of its own, which ends with it. */
async function prove({ name, share, command }: Proof, folder: string): Promise<Proved> {
  const minutes = total * share
  const [program = '', ...args] = command(minutes)
  const began = performance.now()
  const log = createWriteStream(join(folder, `${name.replaceAll(' ', '-')}.log`))
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let last = ''
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      log.write(text)
      last = `${last}${text}`.slice(-4096)
    })
  }
  let isLate = false
  const endGroup = (): void => {
    isLate = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  const timer = setTimeout(endGroup, Math.max(minutes * 2, FEWEST_MINUTES) * 60_000)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  log.end()
  const figure = last.trim().split('\n').at(-1)?.trim() ?? ''
  return {
    name,
    result: isLate ? 'not ended' : code === 0 ? 'passed' : 'FAILED',
    seconds: Math.round((performance.now() - began) / 1000),
    figure: figure.length > LONGEST_FIGURE ? `${figure.slice(0, LONGEST_FIGURE)}…` : figure,
  }
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-prove-'))
process.stdout.write(`Outputs: ${folder}\n\n| proof | result | seconds | last line |\n|---|---|---|---|\n`)
let failed = 0
for (const proof of PROOFS.filter(({ name }) => name.includes(values.only ?? ''))) {
  const { name, result, seconds, figure } = await prove(proof, folder)
  if (result !== 'passed') failed += 1
  process.stdout.write(`| ${name} | ${result} | ${seconds} | ${figure.replaceAll('|', '\\|')} |\n`)
}
process.exitCode = failed === 0 ? 0 : 1
