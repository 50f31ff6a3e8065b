import { toAnswerRow } from './answer-rows.ts'
import { type AnswerForm, type Budget, BudgetExceeded, type CheckedServer, isSought, reasonOf } from './exchange.ts'
import { type CheckFinding, type RowFinding, withSeverity } from './findings.ts'
import { type CheckedProtocol, PROTOCOLS_UNDER_CHECK } from './protocols.ts'
import { toRefusedRow } from './refused-rows.ts'
import { ANSWER_ROWS, REFUSED_ROWS, WITHOUT_CALL } from './requests.ts'
import type { Row, RowResult } from './row.ts'
import { SERVICE_ROWS } from './service-rows.ts'
import { type OpenCheckSocket, socketRows } from './websocket-rows.ts'

export interface CheckServerOptions {
  /** The base URL, such as `https://api.openai.com/v1`. */
  readonly url: string
  readonly model: string
  /** Default: no key is sent. */
  readonly key?: string
  /** Default: `responses`. */
  readonly protocol?: CheckedProtocol
  /** Names of the rows to check. Default: all. */
  readonly only?: readonly string[]
  /** The only form of the answers to check, of a server that has no other one. Default: both. */
  readonly form?: AnswerForm
  /** Default: as many as the rows need. */
  readonly maxRequests?: number
  /** The largest sum of the output tokens that the requests allow. Default: as many as the rows need. */
  readonly maxOutputTokens?: number
  /** Of each request. Default: 120,000. */
  readonly timeoutMs?: number
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** Opens a WebSocket with headers, for the rows of the Responses API over WebSocket. Default: these are not shown. */
  readonly openWebSocket?: OpenCheckSocket
  /** Called after each row. */
  readonly onRow?: (row: CheckedRow) => void
}

export type RowStatus = 'passed' | 'failed' | 'warned' | 'not shown'

/** One line of the table. */
export interface CheckedRow {
  readonly name: string
  readonly about: string
  readonly status: RowStatus
  /** Why the row is not shown; null if it is. */
  readonly reason: string | null
  readonly findings: readonly CheckFinding[]
}

export interface ServerReport {
  readonly url: string
  readonly protocol: CheckedProtocol
  readonly model: string
  readonly rows: readonly CheckedRow[]
  readonly requests: number
  /** The sum of the output tokens that the requests allowed. */
  readonly outputTokens: number
}

const FORMS: readonly AnswerForm[] = ['streamed', 'whole']
const DEFAULT_TIMEOUT_MS = 120_000

/** So many rows whose tools are not called are no coincidence. */
const LEAST_WITHOUT_CALL = 2

/** The bounds of a check: the most requests, and the most output tokens that they allow together. */
export function boundsOf({ protocol = 'responses', only }: Pick<CheckServerOptions, 'protocol' | 'only'>): {
  readonly requests: number
  readonly outputTokens: number
} {
  const rows = rowsOf(protocol, only, null)
  const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)
  return { requests: sum(rows.map(({ requests }) => requests)), outputTokens: sum(rows.map(({ tokens }) => tokens)) }
}

export const checkRowNames = (protocol: CheckedProtocol = 'responses'): readonly string[] =>
  rowsOf(protocol, undefined, null).map(({ name }) => name)

/**
 * Sends requests of every kind to a server, and checks its answers: their grammar, that they are the same streamed and
 * whole, and their errors. Never rejects because of the server.
 *
 * @throws TypeError for an unknown protocol, row or form, or a URL that is none.
 */
export async function checkServer(options: CheckServerOptions): Promise<ServerReport> {
  const { url, model, key, protocol = 'responses', only, onRow, openWebSocket = null } = options
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(`url: expected a base URL, such as https://api.openai.com/v1, got ${JSON.stringify(url)}`)
  if (!Object.hasOwn(PROTOCOLS_UNDER_CHECK, protocol))
    throw new TypeError(
      `protocol: expected one of ${Object.keys(PROTOCOLS_UNDER_CHECK).join(', ')}, got ${JSON.stringify(protocol)}`,
    )
  if (options.form !== undefined && !FORMS.includes(options.form))
    throw new TypeError(`form: expected one of ${FORMS.join(', ')}, got ${JSON.stringify(options.form)}`)
  const rows = rowsOf(protocol, only, openWebSocket)
  const bounds = boundsOf({ protocol, ...(only === undefined ? {} : { only }) })
  const budget: Budget = {
    mostRequests: options.maxRequests ?? bounds.requests,
    mostTokens: options.maxOutputTokens ?? bounds.outputTokens,
    requests: 0,
    tokens: 0,
  }
  const server: CheckedServer = {
    url,
    model,
    key: key === undefined || key === '' ? null : key,
    protocol: PROTOCOLS_UNDER_CHECK[protocol],
    fetch: options.fetch ?? globalThis.fetch,
    headers: options.headers ?? {},
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    forms: options.form === undefined ? FORMS : [options.form],
    budget,
  }
  const checked: CheckedRow[] = []
  let isHopeless = false
  for (const row of rows) {
    const one: CheckedRow = isHopeless ? toUnsent(row) : withToolsRemoved(await checkRow(row, server), checked)
    checked.push(one)
    isHopeless ||= checked.length === 1 && one.findings.some(isOfEveryRequest)
    onRow?.(one)
  }
  return { url, protocol, model, rows: checked, requests: budget.requests, outputTokens: budget.tokens }
}

/** A wrong address, key or model fails every request: after the first row, no further one is sent. */
const isOfEveryRequest = ({ rule, message }: RowFinding): boolean =>
  rule === 'connection' || /^status 40[134]: /.test(message)

/** The reason of the rows that are not sent. */
export const FIRST_FAILED = 'the first request failed'

const toUnsent = ({ name, about }: Row): CheckedRow => ({
  name,
  about,
  status: 'not shown',
  reason: FIRST_FAILED,
  findings: [],
})

/** A model may answer one request without a call. If it never calls, the tools may not reach it. */
function withToolsRemoved(row: CheckedRow, before: readonly CheckedRow[]): CheckedRow {
  const ofTools = before.filter(({ name }) => CALLED_ROWS.has(name))
  const without = [...ofTools, row].filter(({ reason }) => reason === WITHOUT_CALL).map(({ name }) => name)
  const isOther = row.reason !== WITHOUT_CALL || row.findings.length > 0
  if (isOther || without.length < LEAST_WITHOUT_CALL || ofTools.some(({ status }) => status === 'passed')) return row
  const message = `none of ${without.join(', ')} was answered with a call: are the tools removed?`
  return { ...row, status: 'warned', findings: [withSeverity({ rule: 'tools', form: 'both', message })] }
}

const CALLED_ROWS: ReadonlySet<string> = new Set(
  ANSWER_ROWS.flatMap(({ name, without }) => (without === WITHOUT_CALL ? [name] : [])),
)

async function checkRow(row: Row, server: CheckedServer): Promise<CheckedRow> {
  const { findings, reason } = await row.run(server).catch((error: unknown): RowResult => {
    if (error instanceof BudgetExceeded) return { findings: [], reason: error.message }
    return { findings: [{ rule: 'connection', form: '', message: reasonOf(error) }], reason: null }
  })
  const found = findings.map((one) => withSeverity({ ...one, message: hideKey(one.message, server.key) }))
  return {
    name: row.name,
    about: row.about,
    status: statusOf(found, reason),
    reason: reason === null ? null : hideKey(reason, server.key),
    findings: found,
  }
}

/** A server may repeat the key in its errors. */
const hideKey = (text: string, key: string | null): string => (isSought(key) ? text.replaceAll(key, '…') : text)

function statusOf(findings: readonly CheckFinding[], reason: string | null): RowStatus {
  if (findings.some(({ severity }) => severity === 'error')) return 'failed'
  if (findings.length > 0) return 'warned'
  return reason === null ? 'passed' : 'not shown'
}

function rowsOf(
  protocol: CheckedProtocol,
  only: readonly string[] | undefined,
  open: OpenCheckSocket | null,
): readonly Row[] {
  const { limit } = PROTOCOLS_UNDER_CHECK[protocol]
  const all = [
    ...ANSWER_ROWS.map(toAnswerRow),
    ...REFUSED_ROWS.filter(({ wrong }) => wrong !== 'limit' || limit !== null).map(toRefusedRow),
    ...SERVICE_ROWS,
    ...(protocol === 'responses' ? socketRows(open) : []),
  ]
  if (only === undefined) return all
  const unknown = only.find((name) => !all.some((row) => row.name === name))
  if (unknown !== undefined)
    throw new TypeError(
      `only: expected names of ${all.map(({ name }) => name).join(', ')}, got ${JSON.stringify(unknown)}`,
    )
  return all.filter(({ name }) => only.includes(name))
}
