import type { AnswerContents } from '../../conformance/protocols/answer.ts'
import { show } from '../../conformance/rules.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isObject, parseJson, toArray } from '../../text/json.ts'
import { firstDifference } from '../../text/json-diff.ts'
import { withValue } from '../../wires/shared/passthrough/members.ts'
import { type AnswerForm, type CheckedServer, type EncodedCheck, encodeCheck } from './exchange.ts'
import type { RowFinding } from './findings.ts'
import { holdsStreamsBack, isBurst, MOST_PAIRS } from './pieces.ts'
import { type FormResult, greet, requestForm } from './request-form.ts'
import { type AnswerRow, isCutShort, ROW_TOKENS } from './requests.ts'
import type { Row, RowResult } from './row.ts'

export function toAnswerRow(row: AnswerRow): Row {
  const { name, about, inPieces } = row
  const request = { max_output_tokens: ROW_TOKENS, ...row.request }
  // The form that differs is requested once more, with the other one.
  const requests = 4 + (inPieces ? 2 * MOST_PAIRS : 0)
  return {
    name,
    about,
    requests,
    tokens: requests * request.max_output_tokens,
    run: (server) => runAnswerRow({ ...row, request }, server),
  }
}

interface FoundAnswer {
  readonly form: AnswerForm
  readonly encoded: EncodedCheck
  readonly result: FormResult
}

async function runAnswerRow(row: AnswerRow, server: CheckedServer): Promise<RowResult> {
  const { needs, request, shown, without, stop } = row
  if (stop !== null && server.protocol.stop === null)
    return { findings: [], reason: 'the protocol has no stop sequences' }
  const streaming = withStop(row, server, encodeCheck(server, request, true))
  const waiting = withStop(row, server, encodeCheck(server, request, false))
  if (typeof streaming === 'string' || typeof waiting === 'string')
    return { findings: [], reason: `the protocol cannot carry the request: ${streaming}` }
  const changed = streaming.losses.filter(({ path }) => needs.includes(path))
  const lost = changed.find(({ action }) => action === 'dropped')
  if (lost !== undefined) return { findings: [], reason: `the protocol has no ${lost.path}` }
  const answers: FoundAnswer[] = []
  for (const form of server.forms) {
    const encoded = form === 'streamed' ? streaming : waiting
    answers.push({ form, encoded, result: await requestForm(server, encoded, form, needs.length > 0 || stop !== null) })
  }
  const found = answers.flatMap(({ result }) => result.findings)
  const reason = answers.find(({ result }) => result.reason !== null)?.result.reason ?? null
  if (reason !== null) return { findings: found, reason }
  const each = await checkEach(row, server, answers, changed.length === 0)
  if (each.reason !== null) return { findings: [...found, ...each.findings], reason: each.reason }
  const [streamed, whole] = answers
  const isComparable = streamed !== undefined && whole !== undefined && !each.isForgotten
  const same = isComparable ? await checkSame(server, streamed, whole) : NOTHING_FOUND
  const findings = [...found, ...each.findings, ...same.findings]
  const isShown = answers.every(({ result }) => shown(result.summary))
  return findings.length > 0 || isShown ? { findings, reason: same.reason } : { findings, reason: without }
}

/** Sets a stop sequence, which requests of the Responses API do not have. */
const withStop = ({ stop }: AnswerRow, { protocol }: CheckedServer, encoded: EncodedCheck | string) =>
  stop === null || protocol.stop === null || typeof encoded === 'string'
    ? encoded
    : { ...encoded, body: withValue(encoded.body, protocol.stop, [stop]) }

const NOTHING_FOUND: RowResult = { findings: [], reason: null }

/** Checks the contents of each answer. `isWhole`: nothing of the request was changed for the protocol. */
async function checkEach(
  row: AnswerRow,
  server: CheckedServer,
  answers: readonly FoundAnswer[],
  isWhole: boolean,
): Promise<RowResult & { readonly isForgotten: boolean }> {
  const findings: RowFinding[] = []
  let isForgotten = false
  for (const { form, encoded, result } of answers) {
    if (isWhole) findings.push(...faultsOf(row, server, form, result.summary))
    const recalled = await checkRecall(row, form, result.summary, () => requestForm(server, encoded, form, true))
    if (recalled.reason !== null) return { findings, reason: recalled.reason, isForgotten }
    isForgotten ||= recalled.findings.length > 0
    findings.push(...recalled.findings)
    if (row.inPieces && form === 'streamed') findings.push(...(await checkPieces(server, encoded, result)))
  }
  return { findings, reason: null, isForgotten }
}

/** The faults in the contents of an answer to the request of a row. */
function faultsOf(
  row: AnswerRow,
  { protocol: { textEnd } }: CheckedServer,
  form: AnswerForm,
  summary: AnswerContents,
): readonly RowFinding[] {
  const faults = [
    ['promise', row.promised(summary)],
    ['finish', wrongEnd(row, textEnd, summary)],
    ['usage', emptyUsage(summary)],
    ['stop', beyondStop(row, summary)],
  ] as const
  return faults.flatMap(([rule, message]) => (message === null ? [] : [{ rule, form, message }]))
}

/** The words of ends that only a part of the request causes, which no request of a check has. */
const UNASKED_ENDS: ReadonlySet<string | null> = new Set(['stop_sequence', 'pause_turn'])

function wrongEnd({ request, stop }: AnswerRow, textEnd: string | null, summary: AnswerContents): string | null {
  const { calls, finish, usage } = summary
  const word = JSON.stringify(finish)
  // OpenAI ends a call that the request demands as a text.
  if (calls.length > 0 && finish === textEnd && request.tool_choice === undefined)
    return `the reason for the end is ${word}, but there is a call`
  if (stop === null && UNASKED_ENDS.has(finish)) return `the reason for the end is ${word}, which nothing requests`
  const limit = Number(request.max_output_tokens)
  // In Interactions, this is also the end of a refusal.
  const isEarly =
    finish !== 'incomplete' && limit === ROW_TOKENS && usage !== null && usage.output > 0 && usage.output < limit / 2
  return isEarly && isCutShort(finish)
    ? `the reason for the end is ${word}, after ${usage.output} of ${limit} tokens`
    : null
}

function beyondStop({ stop }: AnswerRow, { text }: AnswerContents): string | null {
  const at = stop === null ? -1 : text.indexOf(stop)
  return at !== -1 && text.slice(at + (stop ?? '').length).trim() !== ''
    ? `a text beyond its stop sequence ${stop}`
    : null
}

function emptyUsage({ usage, text, reasoning, calls }: AnswerContents): string | null {
  if (usage === null || (text + reasoning === '' && calls.length === 0)) return null
  const empty = usage.input === 0 ? 'input' : 'output'
  return usage[empty] === 0 ? `the ${empty} has 0 tokens` : null
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
  const code = recalls.find((one) => !text.toLowerCase().includes(one.toLowerCase()))
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
  if (message === null) return NOTHING_FOUND
  return forgottenIn(row, (await again()).summary) === null
    ? { findings: [], reason: OTHER_WORDS }
    : { findings: [{ rule: row.recall, form, message }], reason: null }
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
async function checkSame(server: CheckedServer, streamed: FoundAnswer, whole: FoundAnswer): Promise<RowResult> {
  const [first, second] = [comparable(streamed.result.summary), comparable(whole.result.summary)]
  const where = firstDifference(first, second)
  if (where === null) return { findings: [], reason: null }
  // The other findings of this answer explain the difference.
  if (streamed.result.findings.length + whole.result.findings.length > 0) return { findings: [], reason: null }
  const streamedAgain = await requestForm(server, streamed.encoded, 'streamed', true)
  const wholeAgain = await requestForm(server, whole.encoded, 'whole', true)
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
