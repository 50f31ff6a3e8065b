import type { AnswerContents } from '../../conformance/protocols/answer.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import {
  type AnswerForm,
  type Arrival,
  type CheckedServer,
  type EncodedCheck,
  encodeCheck,
  type ReceivedAnswer,
  receiveAnswer,
  spend,
} from './exchange.ts'
import type { RowFinding } from './findings.ts'
import { NO_ANSWER } from './protocols.ts'
import { ROW_TOKENS } from './requests.ts'
import type { RowResult } from './row.ts'

/** The answer in one form: what it contains and what is wrong with it, or why there is none to check. */
export interface FormResult extends RowResult {
  readonly summary: AnswerContents
  /** Null: there is no answer. */
  readonly arrival: Arrival | null
}

const NO_RESULT = { summary: NO_ANSWER, arrival: null } as const

/** Statuses of a server that has too much to do, which is no defect of its protocol. */
export const BUSY_STATUSES: ReadonlySet<number> = new Set([429, 503, 529])

/** Statuses of a server or a model that lacks what the row is about. */
const UNSUPPORTED: ReadonlySet<number> = new Set([400, 422, 501])

export const shortMessage = ({ value, bytes }: Extract<ReceivedAnswer, { ok: true }>): string => {
  const error = isObject(value) ? (isObject(value.error) ? value.error.message : value.error) : undefined
  const text = isNonEmptyString(error) ? error : new TextDecoder().decode(bytes.subarray(0, 200))
  return text.slice(0, 200)
}

/** The finding of an answer that repeats the key of its request. */
export const leakIn = (answer: ReceivedAnswer, form: string): readonly RowFinding[] =>
  answer.ok && answer.leak !== null ? [{ rule: 'key', form, message: `${answer.leak} has the key of the request` }] : []

/** Requests the answer in one form, and checks it. */
export async function requestForm(
  server: CheckedServer,
  { path, headers, body, tokens }: EncodedCheck,
  form: AnswerForm,
  isOptional: boolean,
): Promise<FormResult> {
  spend(server.budget, tokens)
  const answer = await receiveAnswer(server, { path, headers, body: JSON.stringify(body) })
  const result = checkForm(server, answer, form, isOptional)
  return { ...result, findings: [...result.findings, ...leakIn(answer, form)] }
}

function checkForm(server: CheckedServer, answer: ReceivedAnswer, form: AnswerForm, isOptional: boolean): FormResult {
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
    return BUSY_STATUSES.has(status) || isUnsupported
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

export const GREETING: JsonObject = {
  input: [{ type: 'message', role: 'user', content: 'Answer with one short greeting.' }],
  max_output_tokens: ROW_TOKENS,
}

export async function greet(server: CheckedServer, form: AnswerForm, words?: string): Promise<FormResult> {
  const more = words === undefined ? {} : { instructions: words }
  const encoded = encodeCheck(server, { ...GREETING, ...more }, form === 'streamed')
  if (typeof encoded === 'string') return { findings: [], reason: encoded, ...NO_RESULT }
  return requestForm(server, encoded, form, false)
}
