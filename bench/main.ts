/**
 * Compares the pipeline with the floor. Each combination of stream, cut and target runs in a process of its own, so
 * that the optimised code of one case does not slow down the next.
 *
 *     npm run bench                     a table of ratios
 *     npm run -s bench -- --json        a JSON object a line: {"case","node","ratio","to"}
 *     npm run bench -- --quick          fewer cases and rounds
 *     npm run bench -- --thrice         each case in three processes: their median
 *     npm run bench -- --guard          one case a wire; fails if a ratio is below half of bench/committed.json
 *     npm run bench -- --guard --all    the same for all quick cases
 *     npm run bench -- --commit         raises the ratios in bench/committed.json for this major version of Node
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { WireName } from '../src/wires/contract.ts'
import { WIRES } from '../src/wires/registry.ts'
import { CUTS, type Cut, caseOf, KINDS, type Kind } from './inputs.ts'
import { median } from './measure.ts'
import { type BenchTargetName, CLIENT_NAMES, DIALECT_NAMES } from './targets.ts'

const program = fileURLToPath(new URL('./stream.js', import.meta.url))
const COMMITTED = 'bench/committed.json'
const flags = process.argv.slice(2)
const hasFlag = (flag: string): boolean => flags.includes(`--${flag}`)
const quick = hasFlag('quick') || hasFlag('guard')

interface Ratio {
  readonly case: string
  readonly ratio: number
}

type Committed = Readonly<Record<string, Readonly<Record<string, number>>>>

/** The quick cases: text in the smallest and the largest reads, every other kind in one read an event. */
const isQuick = (kind: Kind, cut: Cut): boolean => cut === 'event' || (kind === 'text' && cut === '16 KiB')

/** The arguments of one process; the last one is for coalesced deltas. */
type Case = readonly [WireName, Kind, Cut, BenchTargetName, 'coalesced' | '']

/** Deltas can be coalesced only if a read has several of them. Texts are also measured for the clients of every wire. */
const waysOf = (kind: Kind, cut: Cut): readonly (readonly [BenchTargetName, 'coalesced' | ''])[] => [
  ...DIALECT_NAMES.map((name) => [name, ''] as const),
  ...(kind === 'text' && cut === '16 KiB' ? [['openai', 'coalesced'] as const] : []),
  ...(kind === 'text' ? CLIENT_NAMES.map((name) => [name, ''] as const) : []),
]

/** One case a wire is enough to show that the fast path is taken, and its cost. */
const isGuarded = ([, kind, cut, target, how]: Case): boolean =>
  kind === 'text' && cut === 'event' && target === 'openai' && how === ''

const QUICK_OR_ALL = (Object.keys(WIRES) as WireName[]).flatMap((wire) =>
  KINDS.filter((kind) => caseOf(wire, kind) !== null).flatMap((kind) =>
    (Object.keys(CUTS) as Cut[])
      .filter((cut) => !quick || isQuick(kind, cut))
      .flatMap((cut) => waysOf(kind, cut).map(([target, how]): Case => [wire, kind, cut, target, how])),
  ),
)

const CASES = hasFlag('guard') && !hasFlag('all') ? QUICK_OR_ALL.filter(isGuarded) : QUICK_OR_ALL

async function measureOnce([wire, kind, cut, target, how]: Case): Promise<Ratio> {
  const words = [program, wire, kind, cut, target, quick ? '11' : '31', how]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  return JSON.parse(stdout) as Ratio
}

/** One process may run in a slow moment of the machine, or be compiled unfavourably. */
async function measure(of: Case): Promise<Ratio> {
  const once = await measureOnce(of)
  if (!hasFlag('thrice')) return once
  const all = [once, await measureOnce(of), await measureOnce(of)]
  return { case: once.case, ratio: median(all.map(({ ratio }) => ratio)) }
}

const rounded = (ratio: number): number => Number(ratio.toFixed(2))

const report = ({ case: name, ratio }: Ratio): void => {
  const line = hasFlag('json')
    ? JSON.stringify({ case: name, node: process.version, ratio: rounded(ratio), to: 'floor' })
    : `| ${name} | ${ratio.toFixed(2)} |`
  process.stdout.write(`${line}\n`)
}

const major = process.version.replace(/\..*/, '')

const readCommitted = (): Committed => JSON.parse(readFileSync(COMMITTED, 'utf8')) as Committed

/** The committed ratios of this version of Node; if there are none, those of the first version in the file. */
function committed(): Readonly<Record<string, number>> {
  const all = readCommitted()
  return all[major] ?? Object.values(all)[0] ?? {}
}

/** A single slow run may be noise: a case fails only after three slow runs. */
async function guard(of: Case, first: Ratio): Promise<readonly string[]> {
  const known = committed()[first.case] ?? 0
  let { ratio } = first
  for (let again = 0; again < 2 && ratio < known / 2; again += 1) ratio = (await measure(of)).ratio
  return ratio < known / 2 ? [`${first.case}: ${ratio.toFixed(2)}, committed ${known}`] : []
}

if (!hasFlag('json')) {
  process.stdout.write(
    `Node ${process.version}; floor = 1, higher is faster; medians\n\n| case | × floor |\n|---|---|\n`,
  )
}
const ratios: Ratio[] = []
const slow: string[] = []
for (const of of CASES) {
  const measured = await measure(of)
  report(measured)
  ratios.push(measured)
  if (hasFlag('guard')) slow.push(...(await guard(of, measured)))
}
if (hasFlag('commit')) {
  const all = readCommitted()
  // A run on a slow day lowers no bound.
  const higher = ({ case: name, ratio }: Ratio): number => Math.max(rounded(ratio), all[major]?.[name] ?? 0)
  const own = Object.fromEntries(ratios.map((one) => [one.case, higher(one)]))
  writeFileSync(COMMITTED, `${JSON.stringify({ ...all, [major]: own }, null, 2)}\n`)
}
for (const line of slow) process.stderr.write(`under half of what is committed: ${line}\n`)
process.exitCode = slow.length === 0 ? 0 : 1
