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
import { inTurns, median } from '../measure.ts'
import { buildBase, LAST_RELEASE } from './build.ts'
import { baseCases } from './cases.ts'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** Milliseconds. Of short streams, start and end are most of the work, and are compiled late. */
const WARM_MS = 1_500
const WARM_MS_SHORT = 3_000
const ROUND_MS = 60
const ROUNDS = 15

/** Milliseconds of processor time that a process takes for one stream, in a round of some milliseconds. */
const round = (child: ChildProcess, ms: number): Promise<number> => ask(child, `${ms}`)

async function timesAsFast(folders: readonly [string, string], name: string): Promise<number> {
  const children = folders.map((folder) => forkProgram(here('stream.js'), [folder, name]))
  const [base, present] = children as [ChildProcess, ChildProcess]
  const warmMs = name.includes(' short') ? WARM_MS_SHORT : WARM_MS
  for (const child of children) await round(child, warmMs)
  const ratios: number[] = []
  for (let at = 0; at < ROUNDS; at += 1) {
    const took = new Map<ChildProcess, number>()
    for (const child of inTurns(children, at)) took.set(child, await round(child, ROUND_MS))
    ratios.push((took.get(base) as number) / (took.get(present) as number))
  }
  for (const child of children) child.disconnect()
  return median(ratios)
}

const [commit = LAST_RELEASE, only] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const base = buildBase(commit)
const report = openReport(`higher is faster than ${commit}`)
for (const { name } of baseCases().filter((one) => only === undefined || one.name === only)) {
  report({ case: name, value: await timesAsFast([base, here('../../src')], name), unit: '× as fast' })
}
