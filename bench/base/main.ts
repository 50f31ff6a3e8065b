/**
 * How many times as fast as another build the present one is, in processor time. The builds take turns, each in a process
 * of its own.
 *
 *     npm run bench:base                                     against the last release
 *     npm run bench:base -- COMMIT                           against this commit
 *     npm run bench:base -- COMMIT "openai-chat text, event"  only this case
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { openReport } from '../figure.ts'
import { buildBase, LAST_RELEASE } from './build.ts'
import { baseCases } from './cases.ts'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

interface Measured {
  readonly ms: number
  readonly bytes: number
}

const measure = (folder: string, name: string): Measured =>
  JSON.parse(execFileSync(process.execPath, [here('stream.js'), folder, name], { encoding: 'utf8' })) as Measured

const [commit = LAST_RELEASE, only] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const base = buildBase(commit)
const present = here('../../src')
const report = openReport(`higher is faster than ${commit}`)
for (const { name } of baseCases().filter((one) => only === undefined || one.name === only)) {
  // Either side is first in half of the processes.
  const folders = Math.random() < 0.5 ? [base, present] : [present, base]
  const took = Object.fromEntries(folders.map((folder) => [folder, measure(folder, name)]))
  const [before, now] = [took[base] as Measured, took[present] as Measured]
  report({ case: name, value: before.ms / now.ms, unit: '× as fast' })
}
