/** Writes docs/benchmarks.md and docs/benchmark-tables.md from the data. Every figure of the pages comes from here. */
import { code, fenced, table } from '../../docs/sections/markdown.ts'
import { isOfBase } from '../figure.ts'
import { median } from '../measure.ts'
import type { Part } from '../part.ts'
import type { Machine, NodeResults, PartResults, Results } from '../results.ts'
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

/** The parts of the first page. Their sections answer what people ask before they choose; the tables have all others. */
const FIRST_PAGE: readonly string[] = ['peers', 'server-peers', 'server']

interface Answer {
  readonly question: string
  readonly part: string
  /** The name of the case. */
  readonly figure: string
  /** The median as a user reads it. Default: with its own unit. */
  readonly show?: (median: number) => string
}

const MICROSECONDS = 1_000_000

/** The chunks that an ordinary stream has in a second. */
const CHUNKS = 10

/** Two digits: the processes differ by more. */
const about = (value: number): string => `about ${Number(value.toPrecision(2)).toLocaleString('en')}`

/** The first table of the page. */
const ANSWERS: readonly Answer[] = [
  {
    question: 'Time that the server adds to the first byte',
    part: 'server',
    figure: 'time to first byte that the server adds, median',
  },
  {
    question: 'The same for a byte relay, which translates nothing',
    part: 'server',
    figure: 'time to first byte that the relay adds, median',
  },
  {
    question: 'Processor time of a request, with its short answer',
    part: 'costs',
    figure: 'a request: all parts',
    show: (us) => `${toValue(us / 1000)} ms`,
  },
  {
    question: 'Requests that a core answers',
    part: 'costs',
    figure: 'a request: all parts',
    show: (us) => `${about(MICROSECONDS / us)} a second`,
  },
  {
    question: `Streams of ${CHUNKS} chunks a second that a core holds`,
    part: 'scale',
    figure: '9900 streams at 2 chunks/s: processor time of the server a chunk',
    show: (us) => `${about(MICROSECONDS / us / CHUNKS)} streams`,
  },
  {
    question: 'Processor time of each chunk, with 1,000 open streams',
    part: 'server',
    figure: 'processor time a chunk, 1000 streams at 10 chunks/s',
  },
  {
    question: 'Memory of each open stream, with 9,900 of them',
    part: 'scale',
    figure: '9900 streams at 2 chunks/s: heap and external memory a stream',
  },
  {
    question: 'The server against Portkey, Anthropic to chat completions',
    part: 'server-peers',
    figure: 'anthropic-messages to chat, the server against Portkey',
  },
  {
    question: 'The library against llm-bridge, both as Web streams',
    part: 'peers',
    figure: 'anthropic-messages, translateStream() against llm-bridge',
  },
]

/** Only measured figures have a row. */
function answerTable(results: Results): string {
  const measured = ANSWERS.filter(({ part }) => majorsOf(results[part] ?? {}).length > 0)
  const majors = majorsOf(Object.assign({}, ...measured.map(({ part }) => results[part] ?? {})) as PartResults)
  const cell = ({ part, figure, show }: Answer, major: string): string => {
    const found = results[part]?.[major]?.figures[figure]
    if (found === undefined) return '–'
    const value = median(found.values)
    return show === undefined ? `${toValue(value)} ${found.unit}` : show(value)
  }
  return table(
    ['', ...majors.map(nodeName), 'measure it'],
    measured.map((answer) => [
      answer.question,
      ...majors.map((major) => cell(answer, major)),
      code(`npm run bench:all -- --only ${answer.part}`),
    ]),
  )
}

const WRITTEN = '<!-- Written by `npm run bench:all` from bench/results.json. Changes by hand are lost. -->'

const measuredParts = (parts: readonly Part[], results: Results): readonly Part[] =>
  parts.filter(({ name }) => majorsOf(results[name] ?? {}).length > 0)

const isOnFirstPage = ({ name }: Part): boolean => FIRST_PAGE.includes(name)

const sectionsOf = (parts: readonly Part[], results: Results): readonly string[] =>
  parts.map((part) => partSection(part, results[part.name] ?? {}))

/** Renders the page from the results of parts; a part without results has no section. */
export function renderBenchmarks(parts: readonly Part[], results: Results): string {
  const measured = measuredParts(parts, results)
  const runs = runsOf(measured, results)
  const machines = unique(runs.map(({ result }) => toMachine(result.machine)))
  return `${[
    '# Benchmarks',
    'How much time and memory millrace costs you, measured beside a byte relay and beside other libraries and gateways.',
    WRITTEN,
    answerTable(results),
    'Nearly all figures are ratios: two sides take turns in the same run, so that both meet the same load. Each is the ' +
      'median of several processes. Two processes of the same build differ by 20 to 30 %, so that a ratio of one process ' +
      'between 0.7 and 1.3 shows neither a gain nor a loss. Repeat them on your machine:',
    `<!-- not run: takes an hour -->\n${fenced('sh', 'npm ci && npm run bench:all')}`,
    '`--only PART` measures one part, `--list` lists them, `--quick` takes short rounds, and `--node PATH` adds another ' +
      'version of Node. The command keeps its figures in `bench/results.json` and writes this page.',
    `Machine: ${machines.join('; ')}. [All tables](benchmark-tables.md) has every part, with its commit, date and load.`,
    ...sectionsOf(measured.filter(isOnFirstPage), results),
    '## Goals',
    'A goal is reached if the median of every case reaches it.',
    goalTable(measured, results),
  ].join('\n\n')}\n`
}

/** Renders the page with the parts that the first page leaves out. */
export function renderTables(parts: readonly Part[], results: Results): string {
  const measured = measuredParts(parts, results)
  const runs = runsOf(measured, results)
  const minutes = Math.round(runs.reduce((sum, { result }) => sum + result.seconds, 0) / 60)
  return `${[
    '# Benchmark tables',
    'Every measured case that the [benchmarks](benchmarks.md) leave out, where millrace is slower than the other side, and the run behind each figure.',
    WRITTEN,
    'A cell has the median of the processes, then the lowest and the highest of them.',
    '## Where millrace is slower',
    'Every case whose median is worse than the other side’s: below 1 if higher is better, above 1 if lower is better. ' +
      'A gateway does more than a relay, and `translateStream()` more than the direct call, so both are expected here.',
    slowerTable(runs),
    ...sectionsOf(
      measured.filter((part) => !isOnFirstPage(part)),
      results,
    ),
    '## Runs',
    `All parts together took ${minutes} minutes. The load is the number of processes that wanted to run when a part ` +
      'began: a loaded machine empties caches, and can move a ratio by a third.',
    runTable(runs),
    packageTable(runs),
  ].join('\n\n')}\n`
}
