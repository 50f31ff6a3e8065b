/** The results of all gateways, and their page. */
import { existsSync, readFileSync } from 'node:fs'
import { code, codes, table } from '../../docs/sections/markdown.ts'
import type { CheckedRow } from '../../src/api/check-server/check-server.ts'
import { GATEWAYS, NOT_CHECKED, type Pair } from './gateways.ts'

interface KeptRow extends Omit<CheckedRow, 'about'> {
  /** The number of findings beside those that are kept. */
  readonly more: number
  /** The check whose exchange shows the same findings with the smallest request; null: no defect. */
  readonly exchange: string | null
}

export interface CheckedPair extends Pair {
  readonly rows: readonly KeptRow[]
}

export interface GatewayResults {
  readonly version: string
  readonly date: string
  readonly pairs: readonly CheckedPair[]
}

export type ConformanceResults = Readonly<Record<string, GatewayResults>>

export const RESULTS = new URL('results.json', import.meta.url)
export const PAGE = new URL('../../docs/conformance.md', import.meta.url)

export const readConformance = (): ConformanceResults =>
  existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as ConformanceResults) : {}

export const pairName = ({ protocol, upstream }: Pair): string => `${protocol} → ${upstream}`

const folderName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')

const pathOf = (gateway: string): string => `exchanges/${folderName(gateway)}/`
const fileOf = (gateway: string, { protocol, upstream }: Pair, check: string): string =>
  `${pathOf(gateway)}${protocol}-${upstream}/${check}.json`

export const exchangeFolder = (gateway: string): URL => new URL(pathOf(gateway), import.meta.url)
export const exchangeFile = (gateway: string, pair: Pair, check: string): URL =>
  new URL(fileOf(gateway, pair, check), import.meta.url)

const link = (text: string, gateway: string, pair: Pair, check: string): string =>
  `[${text}](../bench/conformance/${fileOf(gateway, pair, check)})`

interface Column {
  readonly name: string
  readonly version: string
  readonly pair: CheckedPair
}

const columnsOf = (results: ConformanceResults, protocol: string): readonly Column[] =>
  Object.entries(results).flatMap(([name, { version, pairs }]) =>
    pairs.filter((pair) => pair.protocol === protocol).map((pair) => ({ name, version, pair })),
  )

function cellOf({ name, pair }: Column, check: string): string {
  const row = pair.rows.find((one) => one.name === check)
  if (row === undefined || row.status === 'not shown') return '–'
  return row.status === 'passed' ? 'passed' : link(row.status, name, pair, row.exchange ?? check)
}

function protocolSection(results: ConformanceResults, protocol: string): readonly string[] {
  const columns = columnsOf(results, protocol)
  if (columns.length === 0) return []
  const checks = [...new Set(columns.flatMap(({ pair }) => pair.rows.map(({ name }) => name)))]
  const count = ({ pair: { rows } }: Column, ...statuses: readonly string[]): string =>
    String(rows.filter(({ status }) => statuses.includes(status)).length)
  return [
    `### ${protocol}`,
    table(
      ['check', ...columns.map(({ name, version, pair }) => `${name} ${version} → ${pair.upstream}`)],
      [
        ...checks.map((check) => [code(check), ...columns.map((column) => cellOf(column, check))]),
        [
          '**failed** / shown',
          ...columns.map((one) => `**${count(one, 'failed')}** / ${count(one, 'passed', 'failed', 'warned')}`),
        ],
      ],
    ),
  ]
}

const LONGEST_MESSAGE = 160

const shortened = (text: string): string =>
  (text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)} …` : text).replaceAll(/[`<>]/g, "'")

/** The rows of a pair with the same exchange are one line. */
function defectsOf(name: string, { version, pairs }: GatewayResults): readonly string[] {
  const lines = pairs.flatMap((pair) => {
    const defects = pair.rows.filter(({ exchange }) => exchange !== null)
    const exchanges = [...new Set(defects.map(({ exchange }) => exchange))]
    return exchanges.map((exchange) => {
      const rows = defects.filter((row) => row.exchange === exchange)
      const [row] = [...rows.filter((one) => one.name === exchange), ...rows]
      const shown = (row?.findings ?? []).map(
        ({ rule, form, message }) => `${code(rule)} ${form}: ${code(shortened(message))}`,
      )
      const more = row === undefined || row.more === 0 ? [] : [`${row.more} more`]
      return [
        link(pairName(pair), name, pair, exchange ?? ''),
        codes(rows.map(({ name: check }) => check)),
        [...shown, ...more].join('; '),
      ]
    })
  })
  return [
    `### ${name} ${version}`,
    lines.length === 0 ? 'No defect.' : table(['exchange', 'checks', 'findings'], lines),
  ]
}

const PROTOCOLS = ['responses', 'chat', 'messages', 'gemini', 'ollama', 'interactions']

const SHOWN: ReadonlySet<string> = new Set(['passed', 'failed', 'warned'])

/** How many checks a gateway passes, of those that its answers show, for all upstreams of a client protocol together. */
function passedOf({ pairs }: GatewayResults, protocol: string): string {
  const rows = pairs.filter((pair) => pair.protocol === protocol).flatMap((pair) => pair.rows)
  const shown = rows.filter(({ status }) => SHOWN.has(status))
  return shown.length === 0 ? '–' : `${shown.filter(({ status }) => status === 'passed').length} of ${shown.length}`
}

/** A row for each gateway, a column for each client protocol. */
export const conformanceSummary = (results: ConformanceResults): string =>
  table(
    ['', ...PROTOCOLS],
    Object.entries(results).map(([name, one]) => [
      name === 'millrace' ? name : `${name} ${one.version}`,
      ...PROTOCOLS.map((protocol) => passedOf(one, protocol)),
    ]),
  )

export function pageOf(results: ConformanceResults): string {
  const checked = GATEWAYS.filter(({ name }) => results[name] !== undefined)
  const absent = GATEWAYS.filter(({ name, program }) => results[name] === undefined && program !== undefined)
  return [
    '# Conformance',
    'Does your gateway keep the rules of the protocols it speaks? These are the results of several gateways and libraries, ours included, with the exchange behind each error.',
    'Checks passed, of those that apply, by the protocol of the client:',
    conformanceSummary(results),
    'Each gateway is a process on loopback between [`millrace check`](check-a-server.md), as the client, and `millrace mock`, as the upstream: client protocol → gateway → mock. The mock answers every wire with the same script and refuses what a vendor refuses, so that a difference between two columns is one of the gateways. One command measures all of it and writes this page: `npm run bench:conformance`.',
    [
      '- A cell that failed or warned is a link to the smallest exchange with the same findings: the `request`, what the gateway `sent` to the upstream and its answer, what `came` to the client, and what is `right`: the answer of the mock to the same request in the protocol of the client. A body of more than 6,000 characters is cut.',
      '- – means that the row is [not shown](check-a-server.md): a protocol or a gateway lacks the feature, refuses the request as unsupported, or answers otherwise without a defect.',
      '- A failure is a defect of the checker or the mock until its exchange shows otherwise. A correction is welcome: name the cell.',
      '- The rows over WebSocket are left out.',
    ].join('\n'),
    '## Gateways',
    table(
      ['gateway', 'version', 'checked', 'configuration'],
      checked.map(({ name, configuration }) => [
        name,
        results[name]?.version ?? '',
        results[name]?.date ?? '',
        configuration,
      ]),
    ),
    'Not on the machine that wrote this page; `npm run bench:conformance` checks them where their program is in `PATH`:',
    table(
      ['gateway', 'program', 'configuration'],
      absent.map(({ name, program, configuration }) => [name, code(program ?? ''), configuration]),
    ),
    'Not checked:',
    NOT_CHECKED.map(([name, reason]) => `- ${name}: ${reason}.`).join('\n'),
    '## Results by protocol of the client',
    'A column is a gateway and the wire of its upstream.',
    ...PROTOCOLS.flatMap((protocol) => protocolSection(results, protocol)),
    '## Defects',
    ...Object.entries(results).flatMap(([name, one]) => defectsOf(name, one)),
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n')
}
