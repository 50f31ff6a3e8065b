import { writeFile } from 'node:fs/promises'
import { WebSocket } from 'ws'
import {
  boundsOf,
  type CheckedRow,
  type CheckServerOptions,
  checkRowNames,
  checkServer,
  FIRST_FAILED,
  type RowStatus,
  type ServerReport,
} from '../api/check-server/check-server.ts'
import type { CheckFinding } from '../api/check-server/findings.ts'
import type { CheckedProtocol } from '../api/check-server/protocols.ts'
import type { CheckSocket } from '../api/check-server/websocket-rows.ts'
import type { Env } from '../gateway/config/secrets.ts'
import { type LineStyle, lineStyle, paint, plain } from './output/line-style.ts'
import type { Streams } from './streams.ts'

export interface LiveCheckOptions {
  readonly dialect?: string
  readonly model?: string
  readonly key?: string
  readonly protocol?: string
  readonly only?: string
  readonly 'max-requests'?: string
  readonly 'max-tokens'?: string
  readonly json?: true
  readonly junit?: string
  readonly badge?: string
  readonly strict?: true
}

const [CLEAN, DEFECTS, UNREACHABLE] = [0, 1, 2] as const

/** Checks the server at a URL, and prints a table of its requests. Resolves with the exit code. */
export async function checkLive(
  [url = '', ...more]: readonly string[],
  options: LiveCheckOptions,
  { stdout, stderr }: Streams,
  env: Env,
): Promise<number> {
  if (more.length > 0) throw new Error('check: expected one URL, and no files beside it.')
  if (options.dialect !== undefined) throw new Error('--dialect: only for files. A server has a --protocol.')
  const { model, key = env.MILLRACE_KEY ?? '', json = false, junit, badge } = options
  if (model === undefined) throw new Error('check: expected the model of the requests, as in --model gpt-5-mini.')
  const protocol = (options.protocol ?? 'responses') as CheckedProtocol
  const check: CheckServerOptions = {
    url,
    model,
    ...(key === '' ? {} : { key }),
    protocol,
    ...(options.only === undefined ? {} : { only: rowsOf(options.only, protocol) }),
    ...boundOption('max-requests', options['max-requests'], (maxRequests) => ({ maxRequests })),
    ...boundOption('max-tokens', options['max-tokens'], (maxOutputTokens) => ({ maxOutputTokens })),
    openWebSocket: (address, headers) => new WebSocket(address, { headers }) as unknown as CheckSocket,
  }
  const bounds = boundsOf(check)
  const requests = check.maxRequests ?? bounds.requests
  const tokens = check.maxOutputTokens ?? bounds.outputTokens
  stderr.write(`At most ${requests} requests and ${tokens} output tokens, to ${plain(url)} (${check.protocol}).\n`)
  const style = lineStyle(stdout, env)
  const report = await checkServer({
    ...check,
    onRow: (row) => {
      if (!json && unreachable([row]) === null && row.reason !== FIRST_FAILED) stdout.write(lineOf(row, style))
    },
  })
  stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : resultOf(report, style))
  if (junit !== undefined) await writeFile(junit, toJUnit(report))
  if (badge !== undefined) await writeFile(badge, toBadge(report))
  return exitCodeOf(report, options.strict === true)
}

function rowsOf(text: string, protocol: CheckedProtocol): readonly string[] {
  const [names, rows] = [checkRowNames(protocol), text.split(',')]
  const unknown = rows.find((row) => !names.includes(row))
  if (unknown !== undefined) throw new Error(`--only: expected names of ${names.join(', ')}, got "${unknown}".`)
  return rows
}

function boundOption<T>(name: string, value: string | undefined, toOption: (count: number) => T): T | object {
  if (value === undefined) return {}
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error(`--${name}: expected a whole number from 1, got "${value}".`)
  return toOption(Number(value))
}

function exitCodeOf({ rows }: ServerReport, strict: boolean): number {
  if (unreachable(rows) !== null) return UNREACHABLE
  const isDefect = ({ status }: CheckedRow): boolean => status === 'failed' || (strict && status === 'warned')
  return rows.some(isDefect) ? DEFECTS : CLEAN
}

// ---------------------------------------------------------------- the table

const COLOURS: Readonly<Record<RowStatus, number>> = { passed: 32, failed: 31, warned: 33, 'not shown': 90 }
const [STATUS_WIDTH, NAME_WIDTH] = [11, 25] as const

function lineOf({ name, about, status, reason, findings }: CheckedRow, style: LineStyle): string {
  const mark = paint(status.padEnd(STATUS_WIDTH), COLOURS[status], style)
  const why = reason === null || findings.length > 0 ? '' : `: ${plain(reason)}`
  return `${mark}${name.padEnd(NAME_WIDTH)}${about}${why}\n`
}

/** The reason why a server cannot be reached; null if it can. */
const unreachable = ([first]: readonly CheckedRow[]): string | null =>
  first?.findings.find(({ rule }) => rule === 'connection')?.message ?? null

/** The lines after the table: each finding once, with the rows that have it, and the sum. */
function resultOf(report: ServerReport, style: LineStyle): string {
  const dead = unreachable(report.rows)
  if (dead !== null) return `${paint('unreachable', COLOURS.failed, style)} ${plain(report.url)}: ${plain(dead)}\n`
  const skipped = report.rows.filter(({ reason }) => reason === FIRST_FAILED).length
  const more = skipped === 0 ? '' : `${skipped} further rows were not sent, because the first request failed\n`
  const found = groupsOf(report.rows).map(
    ({ finding: { severity, rule, message }, places }) =>
      `${paint(severity, COLOURS[severity === 'error' ? 'failed' : 'warned'], style)} [${rule}] ${plain(message)}\n  in ${places.join(', ')}\n`,
  )
  const list = found.length === 0 ? '' : `\n${found.join('')}\n`
  return `${more}${list}${summaryOf(report)}\n`
}

interface FindingGroup {
  readonly finding: CheckFinding
  /** Names of rows with the form of the answer: `tool (streamed)`. */
  readonly places: readonly string[]
}

/** Equal findings of all rows, wherever their frames are. */
function groupsOf(rows: readonly CheckedRow[]): readonly FindingGroup[] {
  const groups = new Map<string, { readonly finding: CheckFinding; readonly places: Set<string> }>()
  for (const { name, findings } of rows) {
    for (const finding of findings) {
      const message = finding.message.replace(FRAME, '')
      const key = JSON.stringify([finding.severity, finding.rule, message])
      const group = groups.get(key) ?? { finding: { ...finding, message }, places: new Set() }
      const [frame = ''] = FRAME.exec(finding.message) ?? []
      const place = [finding.form, frame.replace(/: $/, '')].filter((part) => part !== '').join(', ')
      group.places.add(place === '' ? name : `${name} (${place})`)
      groups.set(key, group)
    }
  }
  return [...groups.values()].map(({ finding, places }) => ({ finding, places: [...places] }))
}

const FRAME = /^frame \d+: /

const countOf = ({ rows }: ServerReport, status: RowStatus): number =>
  rows.filter((row) => row.status === status).length

function summaryOf(report: ServerReport): string {
  const counts = (['passed', 'failed', 'warned', 'not shown'] as const).flatMap((status) => {
    const count = countOf(report, status)
    return count === 0 && status !== 'failed' ? [] : [`${count} ${status}`]
  })
  return `${counts.join(', ')}; ${report.requests} requests`
}

// ---------------------------------------------------------------- files

const ESCAPES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }
const xml = (text: string): string => plain(text).replace(/[<>&"]/g, (found) => ESCAPES[found] ?? '')

function toJUnit(report: ServerReport): string {
  const cases = report.rows.map(({ name, about, status, reason, findings }) => {
    const open = `  <testcase classname="${xml(report.protocol)}" name="${xml(`${name}: ${about}`)}"`
    if (status === 'not shown') return `${open}><skipped message="${xml(reason ?? '')}"/></testcase>\n`
    if (findings.length === 0) return `${open}/>\n`
    const lines = findings.map(({ severity, rule, form, message }) => `${severity} [${rule}] ${form}: ${message}`)
    const tag = status === 'failed' ? 'failure' : 'system-out'
    return `${open}><${tag}>${lines.map(xml).join('\n')}</${tag}></testcase>\n`
  })
  const name = `${report.url} ${report.model}`
  const counts = `tests="${report.rows.length}" failures="${countOf(report, 'failed')}" skipped="${countOf(report, 'not shown')}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="${xml(name)}" ${counts}>\n${cases.join('')}</testsuite>\n`
}

const [CHARACTER, HEIGHT] = [7, 20] as const
const [GREEN, YELLOW, RED] = ['#2e7d32', '#8d6e00', '#c62828'] as const

function toBadge(report: ServerReport): string {
  const shown = report.rows.length - countOf(report, 'not shown')
  const failed = countOf(report, 'failed')
  const [label, value] = [
    `${report.protocol} streams`,
    failed === 0 ? `${shown} passed` : `${failed} of ${shown} failed`,
  ]
  const colour = failed > 0 ? RED : countOf(report, 'warned') > 0 ? YELLOW : GREEN
  const [left, right] = [label.length * CHARACTER + 12, value.length * CHARACTER + 12]
  const text = (words: string, at: number): string => `<text x="${at}" y="14" text-anchor="middle">${xml(words)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${xml(`${label}: ${value}`)}">`,
    `<rect width="${left}" height="${HEIGHT}" fill="#424242"/>`,
    `<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${colour}"/>`,
    `<g fill="#fff" font-family="Verdana,sans-serif" font-size="11">${text(label, left / 2)}${text(value, left + right / 2)}</g>`,
    '</svg>',
    '',
  ].join('\n')
}
