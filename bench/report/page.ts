/** Writes docs/benchmarks.md from the data. Every figure of the page comes from here. */
import { code, fenced, table } from '../../docs/sections/markdown.ts'
import { isOfBase } from '../figure.ts'
import { median } from '../measure.ts'
import type { Part } from '../part.ts'
import type { Machine, NodeResults, PartResults, Results } from '../results.ts'
import { absoluteTable } from './absolute.ts'
import { verdict } from './goals.ts'
import { isWorse, majorsOf, nodeName, toValue } from './tables.ts'

const commandOf = ({ name }: Part): string =>
  `<!-- not run: takes minutes -->\n${fenced('sh', `npm run bench:all -- --only ${name}`)}`

const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)]

const toMachine = ({ processor, cores, memoryGiB, kernel }: Machine): string =>
  `${processor}, ${cores} cores, ${memoryGiB} GiB of memory, ${kernel}`

interface Run {
  readonly part: Part
  readonly major: string
  readonly result: NodeResults
}

const runsOf = (parts: readonly Part[], results: Results): readonly Run[] =>
  parts.flatMap((part) => {
    const own = results[part.name] ?? {}
    return majorsOf(own).map((major) => ({ part, major, result: own[major] as NodeResults }))
  })

function runTable(runs: readonly Run[]): string {
  return table(
    ['part', 'Node', 'commit', 'date', 'processes a case', 'load', 'seconds'],
    runs.map(({ part, result }) => [
      code(part.name),
      result.node.slice(1),
      result.commit,
      result.date,
      `${result.processes}${result.isQuick ? ', short rounds' : ''}`,
      result.load === undefined ? '' : String(result.load),
      String(result.seconds),
    ]),
  )
}

function packageTable(runs: readonly Run[]): string {
  const versions = new Map<string, Set<string>>()
  for (const { result } of runs) {
    for (const [name, version] of Object.entries(result.packages)) {
      versions.set(name, (versions.get(name) ?? new Set()).add(version))
    }
  }
  const rows = [...versions].sort(([a], [b]) => a.localeCompare(b))
  return table(
    ['package', 'version'],
    rows.map(([name, found]) => [code(name), [...found].join(', ')]),
  )
}

function goalTable(parts: readonly Part[], results: Results): string {
  const majors = majorsOf(Object.assign({}, ...parts.map(({ name }) => results[name] ?? {})) as PartResults)
  const rows = parts.flatMap((part) =>
    part.goals.map((goal) => [goal.text, ...majors.map((major) => verdict(goal, results[part.name] ?? {}, major))]),
  )
  return table(['goal', ...majors.map(nodeName)], rows)
}

/** All cases in which the other side is better, whatever the goals are. */
function slowerTable(runs: readonly Run[]): string {
  const rows = runs.flatMap(({ part, major, result }) =>
    Object.entries(result.figures)
      .filter(([name, values]) => !isOfBase(name) && isWorse(values))
      .map(([name, { unit, values }]) => [code(part.name), major.slice(1), name, `${toValue(median(values))} ${unit}`]),
  )
  return rows.length === 0 ? 'In no measured case.' : table(['part', 'Node', 'case', 'median'], rows)
}

const partSection = (part: Part, results: PartResults): string =>
  [`## ${part.title}`, commandOf(part), part.section(results)].join('\n\n')

/** Renders the page from the results of parts; a part without results has no section. */
export function renderBenchmarks(parts: readonly Part[], results: Results): string {
  const measured = parts.filter(({ name }) => majorsOf(results[name] ?? {}).length > 0)
  const runs = runsOf(measured, results)
  const machines = unique(runs.map(({ result }) => toMachine(result.machine)))
  const minutes = Math.round(runs.reduce((sum, { result }) => sum + result.seconds, 0) / 60)
  return `${[
    '# Benchmarks',
    'How much time and memory millrace costs you, measured beside a byte relay and beside other libraries and gateways.',
    '',
    '<!-- Written by `npm run bench:all` from bench/results.json. Changes by hand are lost. -->',
    '<!-- not run: takes an hour -->\n' +
      fenced('sh', 'npm ci && npm run bench:all -- --node node --node /path/to/another/node'),
    'This command measures every part with each version of Node that is named, keeps the figures in `bench/results.json`, ' +
      'and writes this page from them. `--only PART` renews one part, `--list` lists them, `--quick` measures with short ' +
      'rounds. Nearly all figures are ratios between two sides that take turns in the same run, so that the load of the ' +
      'machine meets both; repeat them on your machine. The load is the number of processes that wanted to run when a part ' +
      'began: a loaded machine empties caches, and can move such a ratio by a third. A cell has the median of the processes, and the lowest and the ' +
      'highest of them. One pair of processes differs from the next by 20 to 30 %: a ratio of one process between 0.7 and ' +
      '1.3 is noise, and shows neither a gain nor a loss.',
    `Machine: ${machines.join('; ')}. All parts together took ${minutes} minutes.`,
    runTable(runs),
    packageTable(runs),
    '## What you get',
    'Milliseconds and streams on this machine, by the processor time of the server. Load and upstream share its cores, so ' +
      'that a server alone answers more.',
    absoluteTable(results, unique(runs.map(({ major }) => major)).toSorted()),
    '## Goals',
    'A goal is reached if the median of every case reaches it.',
    goalTable(measured, results),
    '## Where millrace is slower',
    'Every case whose median is worse than the other side’s: below 1 if higher is better, above 1 if lower is better. ' +
      'A gateway does more than a relay, and `translateStream()` more than the direct call, so that they have to be here.',
    slowerTable(runs),
    ...measured.map((part) => partSection(part, results[part.name] ?? {})),
  ].join('\n\n')}\n`
}
