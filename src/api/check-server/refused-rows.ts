import type { JsonObject } from '../../protocol/json.ts'
import { withValue } from '../../wires/shared/passthrough/members.ts'
import {
  type AnswerForm,
  type CheckedServer,
  encodeCheck,
  type ReceivedAnswer,
  receiveAnswer,
  spend,
} from './exchange.ts'
import type { RowFinding } from './findings.ts'
import type { ProtocolUnderCheck } from './protocols.ts'
import { BUSY_STATUSES, GREETING, leakIn, shortMessage } from './request-form.ts'
import { type RefusedRow, ROW_TOKENS } from './requests.ts'
import type { Row, RowResult } from './row.ts'

export function toRefusedRow(row: RefusedRow): Row {
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
const memberOf = (wrong: RefusedRow['wrong'], { input, limit }: ProtocolUnderCheck): string | null => {
  if (wrong === 'no-input' || wrong === 'input-type') return input
  return wrong === 'limit' ? (limit?.at(-1) ?? null) : null
}

/** A server may accept these, because it has no keys, maps every model, or bounds a number. */
const MAY_ACCEPT: ReadonlySet<RefusedRow['wrong']> = new Set(['limit', 'model', 'key', 'method'])

async function checkRefused(row: RefusedRow, server: CheckedServer): Promise<RowResult> {
  const { wrong, stream } = row
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
    ...(isGet ? {} : { body: wrongBody(row, encoded.body, server.protocol) }),
  })
  const form = stream ? 'streamed' : 'whole'
  if (!answer.ok) return { findings: [{ rule: 'connection', form, message: answer.reason }], reason: null }
  const { findings, reason } = checkRefusal(row, server, form, answer)
  return { findings: [...findings, ...leakIn(answer, form)], reason }
}

function checkRefusal(
  { wrong, statuses }: RefusedRow,
  { protocol }: CheckedServer,
  form: AnswerForm,
  answer: Extract<ReceivedAnswer, { readonly ok: true }>,
): RowResult {
  const { status, type, value } = answer
  if (BUSY_STATUSES.has(status)) return { findings: [], reason: `status ${status}` }
  if (status < 400 && MAY_ACCEPT.has(wrong)) return { findings: [], reason: 'the server does not refuse this' }
  if (!statuses.includes(status))
    return {
      findings: [{ rule: 'status', form, message: `status ${status}, expected ${statuses.join(' or ')}` }],
      reason: null,
    }
  const findings: RowFinding[] = []
  const fault = protocol.errorFault(value, status)
  if (fault !== null) findings.push({ rule: wrong === 'method' ? 'error-type' : 'error-body', form, message: fault })
  if (!/^application\/(?:[\w.-]+\+)?json\b/.test(type))
    findings.push({ rule: 'error-type', form, message: `the type is "${type}"` })
  const member = memberOf(wrong, protocol)
  if (member !== null && fault === null && !namesMember(value, member))
    findings.push({ rule: 'parameter', form, message: `the error does not name ${member}: ${shortMessage(answer)}` })
  return { findings, reason: null }
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const namesMember = (value: unknown, member: string): boolean => {
  const text = JSON.stringify(value)
  return text.includes(member) || text.includes(snake(member))
}
