import type { AnswerContents } from '../../conformance/protocols/answer.ts'
import { show } from '../../conformance/rules.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isNonEmptyString, isObject, parseJson, toArray } from '../../text/json.ts'
import { firstDifference } from '../../text/json-diff.ts'
import {
  type AnswerForm,
  type Arrival,
  type Budget,
  BudgetSpent,
  type CheckedServer,
  type EncodedCheck,
  encodeCheck,
  openRequest,
  type ReceivedAnswer,
  reasonOf,
  receiveAnswer,
  spend,
} from './exchange.ts'
import { type CheckFinding, type RowFinding, withSeverity } from './findings.ts'
import { holdsStreamsBack, isBurst, MOST_PAIRS } from './pieces.ts'
import { type CheckedProtocol, NO_ANSWER, PROTOCOLS_UNDER_CHECK, type ProtocolUnderCheck } from './protocols.ts'
import { ANSWER_ROWS, type AnswerRow, REFUSED_ROWS, type RefusedRow, ROW_TOKENS, WITHOUT_CALL } from './requests.ts'
import { checkSocketRow, type OpenCheckSocket, SOCKET_ROWS } from './websocket-rows.ts'

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

/** The findings of a row, or the reason why it shows nothing. */
interface RowResult {
  readonly findings: readonly RowFinding[]
  readonly reason: string | null
}

interface Row {
  readonly name: string
  readonly about: string
  /** The most requests, and the most output tokens of all of them. */
  readonly requests: number
  readonly tokens: number
  run(server: CheckedServer): Promise<RowResult>
}

const FORMS: readonly AnswerForm[] = ['streamed', 'whole']
const DEFAULT_TIMEOUT_MS = 120_000

/** A key that is shorter would be found in words and numbers of the server. */
const SHORTEST_HIDDEN_KEY = 8

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
    if (error instanceof BudgetSpent) return { findings: [], reason: error.message }
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
const hideKey = (text: string, key: string | null): string =>
  key === null || key.length < SHORTEST_HIDDEN_KEY ? text : text.replaceAll(key, '…')

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
    MODELS_ROW,
    CANCEL_ROW,
    CONCURRENT_ROW,
    ...(protocol === 'responses'
      ? SOCKET_ROWS.map(
          (row): Row => ({
            name: row.name,
            about: row.about,
            requests: row.turns,
            tokens: row.turns * ROW_TOKENS,
            async run(server) {
              const found = await checkSocketRow(row, server, { model: server.model, store: false, ...GREETING }, open)
              return typeof found === 'string' ? { findings: [], reason: found } : { findings: found, reason: null }
            },
          }),
        )
      : []),
  ]
  if (only === undefined) return all
  const unknown = only.find((name) => !all.some((row) => row.name === name))
  if (unknown !== undefined)
    throw new TypeError(
      `only: expected names of ${all.map(({ name }) => name).join(', ')}, got ${JSON.stringify(unknown)}`,
    )
  return all.filter(({ name }) => only.includes(name))
}

const GREETING: JsonObject = {
  input: [{ type: 'message', role: 'user', content: 'Answer with one short greeting.' }],
  max_output_tokens: ROW_TOKENS,
}

// ---------------------------------------------------------------- answers

/** The answer in one form: what it contains and what is wrong with it, or why there is none to check. */
interface FormResult extends RowResult {
  readonly summary: AnswerContents
  /** Null: there is no answer. */
  readonly arrival: Arrival | null
}

const NO_RESULT = { summary: NO_ANSWER, arrival: null } as const

function toAnswerRow(row: AnswerRow): Row {
  const { name, about, needs, shown, without, inPieces } = row
  const request = { max_output_tokens: ROW_TOKENS, ...row.request }
  // The form that differs is requested once more, with the other one.
  const requests = 4 + (inPieces ? 2 * MOST_PAIRS : 0)
  return {
    name,
    about,
    requests,
    tokens: requests * request.max_output_tokens,
    async run(server) {
      const streaming = encodeCheck(server, request, true)
      const waiting = encodeCheck(server, request, false)
      if (typeof streaming === 'string' || typeof waiting === 'string')
        return { findings: [], reason: `the protocol cannot carry the request: ${streaming}` }
      const changed = streaming.losses.filter(({ path }) => needs.includes(path))
      const lost = changed.find(({ action }) => action === 'dropped')
      if (lost !== undefined) return { findings: [], reason: `the protocol has no ${lost.path}` }
      const isOptional = needs.length > 0
      const answers: { readonly form: AnswerForm; readonly result: FormResult }[] = []
      for (const form of server.forms) {
        const encoded = form === 'streamed' ? streaming : waiting
        answers.push({ form, result: await requestForm(server, encoded, form, isOptional) })
      }
      const findings = answers.flatMap(({ result }) => result.findings)
      const reason = answers.find(({ result }) => result.reason !== null)?.result.reason ?? null
      if (reason !== null) return { findings, reason }
      let forgotten = false
      for (const { form, result } of answers) {
        if (changed.length === 0) findings.push(...faultsOf(row, server, form, result.summary))
        const again = () => requestForm(server, form === 'streamed' ? streaming : waiting, form, true)
        const recalled = await checkRecall(row, form, result.summary, again)
        if (recalled.reason !== null) return { findings, reason: recalled.reason }
        forgotten ||= recalled.findings.length > 0
        findings.push(...recalled.findings)
        if (inPieces && form === 'streamed') findings.push(...(await checkPieces(server, streaming, result)))
      }
      const [streamed, whole] = answers
      const differing =
        streamed === undefined || whole === undefined || forgotten
          ? { findings: [], reason: null }
          : await checkSame(server, streaming, waiting, streamed.result, whole.result)
      const isShown = answers.every(({ result }) => shown(result.summary))
      if (findings.length + differing.findings.length > 0 || isShown)
        return { findings: [...findings, ...differing.findings], reason: differing.reason }
      return { findings: [], reason: without }
    },
  }
}

/** The faults in the contents of an answer to the request of a row. */
function faultsOf(
  { promised, request }: AnswerRow,
  { protocol: { textEnd } }: CheckedServer,
  form: AnswerForm,
  summary: AnswerContents,
): readonly RowFinding[] {
  const promise = promised(summary)
  // OpenAI ends a call that the request demands as a text.
  const isWrongEnd = summary.calls.length > 0 && summary.finish === textEnd && request.tool_choice === undefined
  return [
    ...(promise === null ? [] : [{ rule: 'promise', form, message: promise }]),
    ...(isWrongEnd
      ? [{ rule: 'finish', form, message: `the reason for the end is ${JSON.stringify(textEnd)}, but there is a call` }]
      : []),
  ]
}

const OTHER_WORDS = 'the model answers in other words each time'

const callOf = (name: unknown, args: unknown): string => `${name} ${JSON.stringify(parseJson(String(args)))}`

/** The sign of a lost history in an answer; null: none. */
function forgottenIn({ recalls, request }: AnswerRow, { text, refusal, calls }: AnswerContents): string | null {
  const made = toArray(request.input).filter(isObject)
  const known = new Set(made.map(({ name, arguments: args }) => callOf(name, args)))
  const again = calls.find(({ name, arguments: args }) => known.has(callOf(name, args)))
  if (recalls.length > 0 && again !== undefined) return `a call of ${again.name}, whose result the request has`
  if (text === '' || refusal !== '' || calls.length > 0) return null
  const code = recalls.find((one) => !text.includes(one))
  return code === undefined ? null : `the answer does not name ${code}, which the request has: ${show(text)}`
}

/** Whether an answer knows the history. A model may forget it once: a defect is one that is there again. */
async function checkRecall(
  row: AnswerRow,
  form: AnswerForm,
  summary: AnswerContents,
  again: () => Promise<FormResult>,
): Promise<RowResult> {
  const message = forgottenIn(row, summary)
  if (message === null) return { findings: [], reason: null }
  return forgottenIn(row, (await again()).summary) === null
    ? { findings: [], reason: OTHER_WORDS }
    : { findings: [{ rule: 'recall', form, message }], reason: null }
}

/** Whether a long stream is held back until it is complete. */
async function checkPieces(
  server: CheckedServer,
  streaming: EncodedCheck,
  { arrival }: FormResult,
): Promise<readonly RowFinding[]> {
  if (arrival === null || !isBurst(arrival)) return []
  const isHeld = await holdsStreamsBack(async () => {
    const [long, short] = await Promise.all([
      requestForm(server, streaming, 'streamed', true),
      greet(server, 'streamed'),
    ])
    return long.arrival === null || short.arrival === null ? null : { long: long.arrival, short: short.arrival }
  })
  const message = 'all bytes of a long stream arrive together at its end'
  return isHeld ? [{ rule: 'pieces', form: 'streamed', message }] : []
}

/** Statuses of a server that has too much to do, which is no defect of its protocol. */
const BUSY: ReadonlySet<number> = new Set([429, 503, 529])

/** Statuses of a server or a model that lacks what the row is about. */
const UNSUPPORTED: ReadonlySet<number> = new Set([400, 422, 501])

const shortMessage = ({ value, bytes }: Extract<ReceivedAnswer, { ok: true }>): string => {
  const error = isObject(value) ? (isObject(value.error) ? value.error.message : value.error) : undefined
  const text = isNonEmptyString(error) ? error : new TextDecoder().decode(bytes.subarray(0, 200))
  return text.slice(0, 200)
}

async function requestForm(
  server: CheckedServer,
  { path, headers, body, tokens }: EncodedCheck,
  form: AnswerForm,
  isOptional: boolean,
): Promise<FormResult> {
  spend(server.budget, tokens)
  const answer = await receiveAnswer(server, { path, headers, body: JSON.stringify(body) })
  const failed = (rule: string, message: string): FormResult => ({
    findings: [{ rule, form, message }],
    reason: null,
    ...NO_RESULT,
  })
  if (!answer.ok) return failed('connection', answer.reason)
  const { status, type, bytes, value, arrival } = answer
  if (status !== 200) {
    const message = `status ${status}: ${shortMessage(answer)}`
    const fault = server.protocol.errorFault(value, status)
    if (fault !== null) return failed('error-body', `${message}; ${fault}`)
    const isUnsupported = isOptional && UNSUPPORTED.has(status)
    return BUSY.has(status) || isUnsupported
      ? { findings: [], reason: message, ...NO_RESULT }
      : failed('status', message)
  }
  const isStream = form === 'streamed'
  const isRightType = isStream ? server.protocol.streamType.test(type) : /^application\/json\b/.test(type)
  const found: RowFinding[] = isRightType ? [] : [{ rule: 'content-type', form, message: `the type is "${type}"` }]
  const { violations, summary } = isStream ? server.protocol.stream(bytes) : server.protocol.body(value)
  for (const { frame, rule, message } of violations)
    found.push({ rule, form, message: frame === null ? message : `frame ${frame}: ${message}` })
  if (summary.failed && found.length === 0)
    found.push({ rule: 'status', form, message: 'the answer ended with an error' })
  return { findings: found, reason: null, summary, arrival }
}

/** Ids are those of one answer, and arguments may have other white space. */
function comparable(summary: AnswerContents): JsonObject {
  const { calls, usage, ...rest } = summary
  return {
    ...rest,
    calls: calls.map(({ name, arguments: args }) => ({ name, arguments: parseJson(args) ?? args })),
    usage,
  } as unknown as JsonObject
}

/**
 * Compares both forms. A model may answer in other words each time: a difference is a defect only where both forms of
 * the answer are the same again.
 */
async function checkSame(
  server: CheckedServer,
  streaming: EncodedCheck,
  waiting: EncodedCheck,
  streamed: FormResult,
  whole: FormResult,
): Promise<RowResult> {
  const [first, second] = [comparable(streamed.summary), comparable(whole.summary)]
  const where = firstDifference(first, second)
  if (where === null) return { findings: [], reason: null }
  // The other findings of this answer explain the difference.
  if (streamed.findings.length + whole.findings.length > 0) return { findings: [], reason: null }
  const streamedAgain = await requestForm(server, streaming, 'streamed', true)
  const wholeAgain = await requestForm(server, waiting, 'whole', true)
  const isSteady =
    firstDifference(first, comparable(streamedAgain.summary)) === null &&
    firstDifference(second, comparable(wholeAgain.summary)) === null
  if (!isSteady) return { findings: [], reason: OTHER_WORDS }
  const at = where.replace(/^\./, '')
  return {
    findings: [{ rule: 'same', form: 'both', message: `${at} differs between the streamed and the whole answer` }],
    reason: null,
  }
}

// ---------------------------------------------------------------- errors

function toRefusedRow(row: RefusedRow): Row {
  const { name, about } = row
  return {
    name,
    about,
    requests: 1,
    tokens: ROW_TOKENS,
    run: (server) => checkRefused(row, server),
  }
}

const UNKNOWN_MODEL = 'no-such-model-0'
const WRONG_KEY = 'wrong-key-0123456789'

const withoutMember = (body: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))

/** Sets the value at a path of objects. */
function withValue(body: JsonObject, [name = '', ...rest]: readonly string[], value: number): JsonObject {
  const inner = body[name]
  return {
    ...body,
    [name]: rest.length === 0 ? value : withValue(isObject(inner) ? (inner as JsonObject) : {}, rest, value),
  }
}

function wrongBody({ wrong }: RefusedRow, body: JsonObject, { input, limit }: ProtocolUnderCheck): string {
  switch (wrong) {
    case 'json':
      return JSON.stringify(body).slice(0, -1)
    case 'no-input':
      return JSON.stringify(withoutMember(body, input))
    case 'input-type':
      return JSON.stringify({ ...body, [input]: 42 })
    case 'limit':
      return JSON.stringify(withValue(body, limit ?? [], -1))
    default:
      return JSON.stringify(body)
  }
}

/** The member that is wrong; null: none. */
const memberOf = ({ wrong }: RefusedRow, { input, limit }: ProtocolUnderCheck): string | null => {
  if (wrong === 'no-input' || wrong === 'input-type') return input
  return wrong === 'limit' ? (limit?.at(-1) ?? null) : null
}

/** A server may accept these, because it has no keys, maps every model, or bounds a number. */
const MAY_ACCEPT: ReadonlySet<RefusedRow['wrong']> = new Set(['limit', 'model', 'key', 'method'])

async function checkRefused(row: RefusedRow, server: CheckedServer): Promise<RowResult> {
  const { wrong, stream, statuses } = row
  const { protocol } = server
  if (wrong === 'key' && server.key === null) return { findings: [], reason: 'the check has no key' }
  const encoded = encodeCheck(server, GREETING, stream, wrong === 'model' ? UNKNOWN_MODEL : server.model)
  if (typeof encoded === 'string') return { findings: [], reason: encoded }
  const isGet = wrong === 'method'
  spend(server.budget, ROW_TOKENS)
  const answer = await receiveAnswer(server, {
    method: isGet ? 'GET' : 'POST',
    path: encoded.path,
    headers: encoded.headers,
    key: wrong === 'key' ? WRONG_KEY : server.key,
    ...(isGet ? {} : { body: wrongBody(row, encoded.body, protocol) }),
  })
  const form = stream ? 'streamed' : 'whole'
  if (!answer.ok) return { findings: [{ rule: 'connection', form, message: answer.reason }], reason: null }
  const { status, type, value } = answer
  if (BUSY.has(status)) return { findings: [], reason: `status ${status}` }
  if (status < 400 && MAY_ACCEPT.has(wrong)) return { findings: [], reason: 'the server does not refuse this' }
  if (!statuses.includes(status))
    return {
      findings: [{ rule: 'status', form, message: `status ${status}, expected ${statuses.join(' or ')}` }],
      reason: null,
    }
  const findings: RowFinding[] = []
  const fault = protocol.errorFault(value, status)
  if (fault !== null) findings.push({ rule: isGet ? 'error-type' : 'error-body', form, message: fault })
  if (!/^application\/(?:[\w.-]+\+)?json\b/.test(type))
    findings.push({ rule: 'error-type', form, message: `the type is "${type}"` })
  const member = memberOf(row, protocol)
  if (member !== null && fault === null && !namesMember(value, member))
    findings.push({ rule: 'parameter', form, message: `the error does not name ${member}: ${shortMessage(answer)}` })
  return { findings, reason: null }
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const namesMember = (value: unknown, member: string): boolean => {
  const text = JSON.stringify(value)
  return text.includes(member) || text.includes(snake(member))
}

// ---------------------------------------------------------------- lists, cancellations, concurrent requests

const MODELS_ROW: Row = {
  name: 'models',
  about: 'the model list',
  requests: 1,
  tokens: 0,
  async run(server) {
    const [path, member, name] = server.protocol.models
    spend(server.budget, 0)
    const answer = await receiveAnswer(server, { method: 'GET', path })
    if (!answer.ok) return { findings: [{ rule: 'connection', form: 'whole', message: answer.reason }], reason: null }
    if (answer.status !== 200) return { findings: [], reason: `status ${answer.status}` }
    const list = isObject(answer.value) ? answer.value[member] : undefined
    const isRight = Array.isArray(list) && toArray(list).every((one) => isObject(one) && isNonEmptyString(one[name]))
    return isRight
      ? { findings: [], reason: null }
      : {
          findings: [{ rule: 'models', form: 'whole', message: `${member} is not a list of objects with ${name}` }],
          reason: null,
        }
  },
}

async function greet(server: CheckedServer, form: AnswerForm): Promise<FormResult> {
  const encoded = encodeCheck(server, GREETING, form === 'streamed')
  if (typeof encoded === 'string') return { findings: [], reason: encoded, ...NO_RESULT }
  return requestForm(server, encoded, form, false)
}

const NO_STREAMS = 'only whole answers are checked'

const CANCEL_ROW: Row = {
  name: 'cancel',
  about: 'a request after a cancelled stream',
  requests: 2,
  tokens: 2 * ROW_TOKENS,
  async run(server) {
    const encoded = encodeCheck(server, GREETING, true)
    if (typeof encoded === 'string') return { findings: [], reason: encoded }
    if (!server.forms.includes('streamed')) return { findings: [], reason: NO_STREAMS }
    spend(server.budget, ROW_TOKENS)
    const leaving = new AbortController()
    const { path, headers, body } = encoded
    const response = await openRequest(server, { path, headers, body: JSON.stringify(body), signal: leaving.signal })
    const reader = response.body?.getReader()
    await reader?.read()
    leaving.abort()
    await reader?.cancel().catch(() => undefined)
    const form = server.forms.includes('whole') ? 'whole' : 'streamed'
    const { findings, reason } = await greet(server, form)
    return { findings: findings.map(({ message }) => ({ rule: 'cancel', form, message })), reason }
  },
}

const CONCURRENT = 3

const CONCURRENT_ROW: Row = {
  name: 'concurrent',
  about: 'three concurrent streams',
  requests: CONCURRENT,
  tokens: CONCURRENT * ROW_TOKENS,
  async run(server) {
    if (!server.forms.includes('streamed')) return { findings: [], reason: NO_STREAMS }
    const all = await Promise.all(Array.from({ length: CONCURRENT }, () => greet(server, 'streamed')))
    return {
      findings: all.flatMap(({ findings }) => findings),
      reason: all.find(({ reason }) => reason !== null)?.reason ?? null,
    }
  },
}
