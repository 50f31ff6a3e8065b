import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { AREAS, changesWithKeys, chooseChanges, keyOf } from './changes.ts'
import { findCaught } from './find-caught.ts'
import { type NumberedChange, withChanges } from './with-changes.ts'

/**
 * `npm run mutate -- [--count N] [--seed S] [--minutes M] [--area FOLDER] [--commit C] [--common D] [--missed REPORT] [--list]` changes one operator or constant of the source at a time, and prints whether a test of `npm test` fails. Texts for
 * people are left out. It ends with a table by folder, and the exit code is 1 if a change is missed that
 * `survivors.json` does not judge: `equivalent` (no test can tell), `text` (for people, or a bound whose exact value
 * nobody relies on), `slow` (the named test, which `npm test` leaves out, fails), or `gap` (a test is missing).
 * After `--minutes`, changes that nothing has caught so far are not examined further, and not counted. `--common D`
 * makes only changes whose lines the commits C and D both have, in whichever file: `--commit C --common D` and
 * `--commit D --common C` with one seed make the same changes, so two tables tell whether the tests between them lost
 * proof. `--missed` makes only the changes that the report (the output) of an earlier run has as missed or judged,
 * wherever their lines are now; where a line has two equal ones, both.
 * `--list` prints the changes only.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    seed: { type: 'string' },
    commit: { type: 'string' },
    common: { type: 'string' },
    area: { type: 'string' },
    minutes: { type: 'string' },
    missed: { type: 'string' },
    list: { type: 'boolean' },
  },
})
const seed = Number(values.seed ?? 1)
const endsAt = performance.now() + Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000

/** Judged by hand: why a change is missed, under its file, its line and its replacement. */
const SURVIVORS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('survivors.json', import.meta.url), 'utf8'),
)
const nameOf = ({ file, line, before, after }: NumberedChange): string => `${file}:${line}\t${before} → ${after}`

const repository = fileURLToPath(new URL('../..', import.meta.url))
const git = (...args: string[]): void => {
  const { status } = spawnSync('git', args, { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`git ${args.join(' ')} fails`)
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-changes-'))
/** Checks a commit out below the folder. */
function checkOut(commit: string, name: string): string {
  const root = join(folder, name)
  git('worktree', 'add', '--quiet', '--detach', root, commit)
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  return root
}

/** The keys of the changes that nothing caught in an earlier run. */
const keysIn = (report: string): ReadonlySet<string> =>
  new Set(
    readFileSync(report, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('  "'))
      .map((line) => JSON.parse(line) as string),
  )

function writeChanges(root: string, changes: readonly NumberedChange[]): void {
  for (const file of new Set(changes.map((change) => change.file))) {
    const path = join(root, file)
    const inFile = changes.filter((change) => change.file === file)
    writeFileSync(path, withChanges(readFileSync(path, 'utf8'), inFile))
  }
}

type Outcome = 'caught' | 'missed' | 'judged'

function printTable(outcomes: readonly { readonly area: string; readonly outcome: Outcome }[]): void {
  const count = (area: string | undefined, outcome?: Outcome): number =>
    outcomes.filter((one) => (area ?? one.area) === one.area && (outcome ?? one.outcome) === one.outcome).length
  process.stdout.write('\n| folder | changes | caught | judged | missed | goal |\n|---|---|---|---|---|---|\n')
  for (const { source, least } of AREAS) {
    const all = count(source)
    const cells = [
      all,
      count(source, 'caught'),
      count(source, 'judged'),
      count(source, 'missed'),
      Math.ceil(least * all),
    ]
    if (all > 0) process.stdout.write(`| ${source} | ${cells.join(' | ')} |\n`)
  }
  process.stdout.write(`${count(undefined, 'caught')} of ${outcomes.length} changes are caught, seed ${seed}\n`)
}

const root = checkOut(values.commit ?? 'HEAD', 'tree')
const other = values.common === undefined ? root : checkOut(values.common, 'other')
try {
  const options = { count: Number(values.count ?? 50), seed, area: values.area }
  const chosen =
    values.missed === undefined
      ? chooseChanges(root, other, options)
      : changesWithKeys(root, keysIn(values.missed), values.area)
  const changes = chosen.map((one, number) => ({ ...one, number }))
  if (values.list === true) process.stdout.write(`${changes.map(nameOf).join('\n')}\n`)
  else {
    writeChanges(root, changes)
    const { caught, missed } = await findCaught(root, changes, endsAt)
    const outcomes = changes.flatMap((change): { area: string; outcome: Outcome }[] => {
      if (caught.has(change.number)) return [{ area: change.area, outcome: 'caught' }]
      if (!missed.has(change.number)) return []
      const judged = SURVIVORS[keyOf(change)]
      process.stdout.write(`${judged ?? 'missed'}\t${nameOf(change)}\n  ${JSON.stringify(keyOf(change))}\n`)
      return [{ area: change.area, outcome: judged === undefined ? 'missed' : 'judged' }]
    })
    printTable(outcomes)
    if (outcomes.some(({ outcome }) => outcome === 'missed')) process.exitCode = 1
  }
} finally {
  for (const tree of new Set([root, other])) git('worktree', 'remove', '--force', tree)
  rmSync(folder, { recursive: true })
}
