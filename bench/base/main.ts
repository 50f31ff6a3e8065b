/**
 * How many times as fast as another build the present one is, in processor time. Each build has a process of its own,
 * because builds in one process share what V8 learns of their objects. The processes take the rounds in turns, so that
 * a neighbour on the machine meets both.
 *
 *     npm run bench:base                                     against the last release
 *     npm run bench:base -- COMMIT                           against this commit
 *     npm run bench:base -- COMMIT "openai-chat text, event"  only this case
 */
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ask, forkProgram } from '../children.ts'
import { openReport } from '../figure.ts'
import { inTurns, timesAsFast } from '../measure.ts'
import { buildBase, LAST_RELEASE } from './build.ts'
import { type BaseCase, baseCases } from './cases.ts'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** Milliseconds of processor time. V8 compiles for some four seconds, and until then the ratio is one of compilations. */
const WARM_MS = 6_000
/** Milliseconds. */
const ROUND_MS = 60
const ROUNDS = 15

/** Milliseconds of processor time that a process takes for one stream, in a round of some milliseconds. */
const round = (child: ChildProcess, ms: number): Promise<number> => ask(child, `${ms}`)

/** Measures the builds in turns, and returns how many times as fast as the first one the second one is. */
async function compare(folders: readonly [base: string, present: string], one: BaseCase): Promise<number> {
  const sides = folders.map((folder) => ({
    child: forkProgram(here('stream.js'), [folder, one.name]),
    took: [] as number[],
  }))
  for (const { child } of sides) await round(child, WARM_MS)
  for (let at = 0; at < ROUNDS; at += 1) {
    for (const { child, took } of inTurns(sides, at)) took.push(await round(child, ROUND_MS))
  }
  for (const { child } of sides) child.disconnect()
  const [base = [], present = []] = sides.map(({ took }) => took)
  return timesAsFast({ base, present }, 'present', 'base')
}

const [commit = LAST_RELEASE, only] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const base = buildBase(commit)
const report = openReport(`higher is faster than ${commit}`)
const cases = baseCases().filter(({ name }) => only === undefined || name === only)
if (cases.length === 0) throw new Error(`There is no case "${only}".`)
for (const one of cases) {
  report({ case: one.name, value: await compare([base, here('../../src')], one), unit: '× as fast' })
}
