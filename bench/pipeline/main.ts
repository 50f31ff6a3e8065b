/**
 * Compares the pipeline with the floor. Each combination of stream and target runs in a process of its own, so that the
 * optimised code of one case does not slow down the next.
 *
 *     npm run bench                     a table of ratios
 *     npm run -s bench -- --json        a JSON object a line: {"case","value","unit"}
 *     npm run bench -- --quick          fewer cases and rounds
 *     npm run bench -- --thrice         each case in three processes: their median
 *     npm run bench -- --guard          one case a wire; fails if the best of four ratios is below half of
 *                                       bench/committed.json
 *     npm run bench -- --guard --all    the same for all quick cases
 *     npm run bench -- --commit         raises the ratios in bench/committed.json for this major version of Node
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { type Figure, openReport, rounded } from '../figure.ts'
import { runJob } from '../jobs.ts'
import { median } from '../measure.ts'
import { guardedJobs, type StreamJob, streamJobs, wordsOf } from './cases.ts'
import { type Bounds, slowCases } from './guard.ts'

const COMMITTED = 'bench/committed.json'
const hasFlag = (flag: string): boolean => process.argv.includes(`--${flag}`)
const isQuick = hasFlag('quick') || hasFlag('guard')
const JOBS = hasFlag('guard') && !hasFlag('all') ? guardedJobs() : streamJobs(isQuick)

type Committed = Readonly<Record<string, Bounds>>

const measureOnce = (job: StreamJob): Promise<readonly Figure[]> =>
  runJob(process.execPath, { program: 'pipeline/stream.js', words: wordsOf(job, isQuick ? 11 : 31) })

/** One process may run in a slow moment of the machine, or be compiled unfavourably. */
async function measure(job: StreamJob): Promise<readonly Figure[]> {
  const once = await measureOnce(job)
  if (!hasFlag('thrice')) return once
  const all = [once, await measureOnce(job), await measureOnce(job)]
  return once.map((figure, n) => ({ ...figure, value: median(all.map((figures) => figures[n]?.value as number)) }))
}

const major = process.version.replace(/\..*/, '')

const readCommitted = (): Committed => JSON.parse(readFileSync(COMMITTED, 'utf8')) as Committed

/** The committed ratios of this version of Node; if there are none, those of the first version in the file. */
function committed(): Bounds {
  const all = readCommitted()
  return all[major] ?? Object.values(all)[0] ?? {}
}

/** A run on a slow day lowers no bound. */
function commit(figures: readonly Figure[]): void {
  const all = readCommitted()
  const higher = ({ case: name, value }: Figure): number => Math.max(rounded(value), all[major]?.[name] ?? 0)
  const own = { ...all[major], ...Object.fromEntries(figures.map((one) => [one.case, higher(one)])) }
  writeFileSync(COMMITTED, `${JSON.stringify({ ...all, [major]: own }, null, 2)}\n`)
}

const report = openReport('higher is faster than the floor; medians of rounds')

async function reported(job: StreamJob): Promise<readonly Figure[]> {
  const figures = await measure(job)
  for (const figure of figures) report(figure)
  return figures
}

async function guard(): Promise<void> {
  const slow = await slowCases(JOBS, reported, committed())
  for (const line of slow) process.stderr.write(`under half of what is committed: ${line}\n`)
  process.exitCode = slow.length === 0 ? 0 : 1
}

async function table(): Promise<void> {
  const figures: Figure[] = []
  for (const job of JOBS) figures.push(...(await reported(job)))
  if (hasFlag('commit')) commit(figures)
}

await (hasFlag('guard') ? guard() : table())
