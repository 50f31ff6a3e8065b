import type { Log, LogLine } from '../../gateway/telemetry/log.ts'
import type { Json } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import type { Agent } from './agent.ts'

/** The sums over the requests of one launch. */
interface Tally {
  readonly log: Log
  /** Lines for the end of a launch of this agent. */
  report(agent: Pick<Agent, 'name' | 'bypass'>): string
}

interface ModelCounts {
  requests: number
  input: number
  cached: number
  output: number
}

const POSITION = /\[\d+\]/g

/** Counts requests, tokens, losses and failures of log lines. */
export function createTally(): Tally {
  const models = new Map<string, ModelCounts>()
  const losses = new Map<string, number>()
  const failures = new Map<string, number>()
  const note = (line: LogLine): void => {
    const model = modelOf(line)
    if (model !== null) addUsage(models, model, line.usage)
    // A loss of each message of a conversation is one loss.
    const distinct = new Set(textsIn(line.losses).map((loss) => loss.replace(POSITION, '[]')))
    for (const loss of distinct) increase(losses, loss)
    const failure = failureOf(line)
    if (failure !== null) increase(failures, failure)
  }
  return {
    log: (line) => {
      if (line.event === 'request') note(line)
      else if (line.event === 'bug') increase(failures, 'exception of the gateway')
    },
    report: ({ name, bypass }) =>
      models.size + failures.size === 0
        ? `millrace: ${name} sent no request. If it answered all the same, ${bypass}.\n`
        : `${[...usageLines(models), ...listLines('losses', losses), ...listLines('failures', failures)].join('\n')}\n`,
  }
}

/** `<vendor>/<model>` of an answer; null for other requests, such as those that list models or count tokens. */
const modelOf = ({ vendor, model, outcome }: LogLine): string | null =>
  typeof vendor === 'string' && typeof model === 'string' && outcome !== undefined ? `${vendor}/${model}` : null

/** Agents also probe paths that the server does not have, which is no failure. */
function failureOf({ method, path, error, party, vendor, client_gone }: LogLine): string | null {
  if (method !== 'POST' || path === undefined || typeof error !== 'string' || client_gone === true) return null
  const source = party === 'upstream' && typeof vendor === 'string' ? vendor : party
  return typeof source === 'string' ? `${error} (${source})` : error
}

function addUsage(models: Map<string, ModelCounts>, model: string, usage: Json | undefined): void {
  const counts = models.get(model) ?? { requests: 0, input: 0, cached: 0, output: 0 }
  models.set(model, counts)
  const fields = isObject(usage) ? usage : {}
  counts.requests += 1
  counts.input += countIn(fields.input_tokens)
  counts.cached += countIn(fields.cached_tokens)
  counts.output += countIn(fields.output_tokens)
}

const countIn = (value: unknown): number => (typeof value === 'number' ? value : 0)

const textsIn = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const increase = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)

const HEAD = ['requests', 'input', 'cached', 'output']

function usageLines(models: ReadonlyMap<string, ModelCounts>): readonly string[] {
  if (models.size === 0) return ['millrace: no answer']
  const rows = [...models].map(([model, counts]) => [
    model,
    ...[counts.requests, counts.input, counts.cached, counts.output].map(grouped),
  ])
  const table = [['millrace', ...HEAD], ...rows]
  const widths = ['', ...HEAD].map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
}

/** Counts with thousands separators, the same in every locale. */
const grouped = (count: number): string => count.toLocaleString('en-US')

const listLines = (heading: string, counts: ReadonlyMap<string, number>): readonly string[] =>
  counts.size === 0
    ? []
    : [
        `${heading}:`,
        ...[...counts].sort(([, one], [, other]) => other - one).map(([name, count]) => `  ${count} x ${name}`),
      ]
