import { listAppend, listLast, listToArray } from '../collections/list.ts'
import { mapEntries, mapGet, mapSet, mapValues } from '../collections/sorted-map.ts'
import type { JsonObject } from '../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../text/json.ts'
import { firstDifference } from '../text/json-diff.ts'
import { BRACKETS, type EventSpec } from './event-table.ts'
import { FAILS_AS_INCOMPLETE } from './hosted-schemas.ts'
import { type Report, show } from './rules.ts'
import { checkFields, checkItem, checkShape, isWhole, type ObjectSchema } from './schema.ts'
import {
  type CheckContext,
  type CheckState,
  type DialectEvents,
  nameOf,
  supports,
  type TerminalRecord,
} from './state.ts'

/** The response itself: how it opens, and how it ends. */

const FINAL = ['completed', 'incomplete', 'failed']

const hasRecap = (dialect: DialectEvents): boolean => supports(dialect, 'recap')

export function checkOpened(state: CheckState, status: string, turn: CheckContext): CheckState {
  const { event, dialect, report } = turn
  const response = event.fields.response as JsonObject
  checkResponse(state, response, dialect.shapes.opening, turn)
  if (response.status !== status) report('status', `${event.type} with status ${show(response.status)}`)
  if (state.id !== null || !isNonEmptyString(response.id)) return state
  const { created_at: createdAt } = response
  return { ...state, id: response.id, createdAt: typeof createdAt === 'number' ? createdAt : null }
}

function checkResponse(state: CheckState, response: JsonObject, shape: ObjectSchema, turn: CheckContext): void {
  const { event, report } = turn
  checkShape(response, shape, `the response of ${event.type}`, 'response', report)
  if (state.id !== null && response.id !== state.id) {
    report('identity', `${event.type} has the response id ${show(response.id)}, expected ${show(state.id)}`)
  }
  if (state.createdAt !== null && response.created_at !== undefined && response.created_at !== state.createdAt) {
    report('identity', `created_at was ${state.createdAt} and is ${show(response.created_at)}`)
  }
}

// ---------------------------------------------------------------- events after a terminal event

const isEnding = ({ does }: EventSpec): boolean => does === 'close' || does === 'recap' || does === 'fail'

const kindOf = ({ type }: TerminalRecord): string =>
  FINAL.includes(type) ? 'close' : type === 'error' ? 'fail' : 'recap'

/**
 * A dialect with one terminal event allows nothing after it, except `failed` after `error`. A dialect with two allows
 * each kind of them once, in any order.
 */
export function checkAfterEnding(state: CheckState, move: EventSpec, { event, dialect, report }: CheckContext): void {
  const last = listLast(state.endings)
  if (last === undefined) return
  if (hasRecap(dialect)) {
    const again = mapGet(state.ended, move.does) === true
    if (!isEnding(move) || again) report('terminal', `${event.type} after ${last.type}`)
    return
  }
  if (last.type !== 'error') report('terminal', `${event.type} after ${last.type}`)
  else if (event.type !== 'failed') report('error', `${event.type} after an error`)
}

// ---------------------------------------------------------------- terminal events

export function checkFailed(state: CheckState, { event, dialect, report }: CheckContext): CheckState {
  const { error, message } = event.fields
  const why = isObject(error) ? (error.message ?? message) : message
  if (!hasRecap(dialect) && !isNonEmptyString(why)) report('error', 'an error without a message')
  return withEnding(state, { type: event.type, status: null })
}

const withEnding = (state: CheckState, ending: TerminalRecord): CheckState => ({
  ...state,
  endings: listAppend(state.endings, ending),
  ended: mapSet(state.ended, kindOf(ending), true),
})

const statusOf = ({ status }: JsonObject): string => nameOf(status)

export function checkSummary(state: CheckState, turn: CheckContext): CheckState {
  const { event, dialect, report } = turn
  const response = event.fields.response as JsonObject
  checkResponse(state, response, dialect.shapes.recap, turn)
  checkUsage(response.usage, dialect, report)
  return withEnding(state, { type: event.type, status: statusOf(response) })
}

export function checkClosed(state: CheckState, turn: CheckContext): CheckState {
  const { event, dialect, report } = turn
  const { shapes } = dialect
  const response = event.fields.response as JsonObject
  checkResponse(state, response, shapes.closing, turn)
  checkUsage(response.usage, dialect, report)
  if (!hasRecap(dialect) && response.status !== event.type) {
    report('status', `${event.type} with status ${show(response.status)}`)
  }
  if (shapes.reasons) checkReasons(response, report)
  checkOutput(state, response, turn)
  return withEnding(state, { type: event.type, status: statusOf(response) })
}

/** Checks a response that was not streamed, with its items. */
export function checkWholeResponse(response: JsonObject, dialect: DialectEvents, report: Report): void {
  const { shapes } = dialect
  checkShape(response, shapes.closing, 'the response', 'response', report)
  checkUsage(response.usage, dialect, report)
  if (!FINAL.includes(nameOf(response.status))) report('status', `a response with status ${show(response.status)}`)
  if (shapes.reasons) checkReasons(response, report)
  for (const item of toArray(response.output)) checkItem(item, shapes, report)
}

function checkUsage(usage: unknown, { shapes }: DialectEvents, report: Report): void {
  if (usage !== null) checkFields(usage, shapes.usage, 'usage', 'usage', report)
}

/** A failed response has an error, an incomplete one has its reason, and a completed one has neither. */
function checkReasons({ status, error, incomplete_details: details, output }: JsonObject, report: Report): void {
  const hasError = isObject(error) && isNonEmptyString(error.code) && isNonEmptyString(error.message)
  const hasDetails = isObject(details) && isNonEmptyString(details.reason)
  if (status === 'failed' ? !hasError : error !== null)
    report('status', `status ${show(status)} with error ${show(error)}`)
  if (status === 'incomplete' ? !hasDetails : details !== null) {
    report('status', `status ${show(status)} with incomplete_details ${show(details)}`)
  }
  if (status !== 'completed') return
  for (const item of toArray(output)) {
    if (!isObject(item) || item.status !== 'incomplete' || FAILS_AS_INCOMPLETE.has(item.type)) continue
    if (item.type !== 'function_call' || isWhole(item)) {
      report('status', `status "completed" with an incomplete ${show(item.type)}`)
    }
  }
}

function checkOutput(state: CheckState, response: JsonObject, { dialect, report }: CheckContext): void {
  const items = mapValues(state.items).map(({ added, done }) => done ?? added)
  const all = toArray(response.output)
  const output = isSilent(items, dialect) ? all.filter((item) => !isReasoning(item)) : all
  if (output.length !== items.length) {
    report('output', `the output has ${output.length} items, but the stream has ${items.length}`)
  }
  items.slice(0, output.length).forEach((item, i) => {
    const where = firstDifference(item, output[i])
    if (where !== null) report('output', `item ${i} of the output differs from its events, at "${where}"`)
  })
  if (output !== all) for (const item of all.filter(isReasoning)) checkItem(item, dialect.shapes, report)
  checkReasoning(state, all, report)
}

/** In dialects that do not address reasoning to an item, a reasoning item may appear in the output only. */
const isSilent = (items: readonly JsonObject[], dialect: DialectEvents): boolean =>
  !supports(dialect, BRACKETS.summary.added) && items.every(({ type }) => type !== 'reasoning')

const isReasoning = (item: unknown): boolean => isObject(item) && item.type === 'reasoning'

const withoutSpaces = (text: string): string => text.replace(/\s+/g, '')

/**
 * Reasoning without an address must be the reasoning of the items. White space is ignored, because it may separate
 * parts.
 */
function checkReasoning({ reasoning }: CheckState, output: readonly unknown[], report: Report): void {
  if (reasoning === '') return
  const summaries = output.flatMap((item) => (isObject(item) && item.type === 'reasoning' ? toArray(item.summary) : []))
  const summary = summaries.map((part) => nameOf(isObject(part) ? part.text : part)).join('')
  if (summary !== '' && withoutSpaces(summary) !== withoutSpaces(reasoning)) {
    report('text', `the summaries contain ${show(summary)}, but the deltas contain ${show(reasoning)}`)
  }
}

// ---------------------------------------------------------------- the end of the stream

/** Reports what is missing when the stream ends. */
export function checkEnd(
  { last, items, unclaimed, endings }: CheckState,
  dialect: DialectEvents,
  report: Report,
): void {
  if (last === '') report('opening', 'a stream without events')
  for (const { at, added, done } of mapValues(items)) {
    if (done === null) report('open', `item ${at}, of type ${show(added.type)}, is never done`)
  }
  for (const [whole, count] of mapEntries(unclaimed)) {
    for (let i = 0; i < count; i += 1) report('arguments', `no finished call has the input ${show(whole)}`)
  }
  const all = listToArray(endings)
  if (hasRecap(dialect)) checkTwice(all, report)
  else if (!all.some(({ type }) => FINAL.includes(type))) report('terminal', 'the response has no terminal event')
}

/**
 * The short terminal event is always required; the whole response is required at least of a completed one. Both have
 * the same status.
 */
function checkTwice(endings: readonly TerminalRecord[], report: Report): void {
  const types = endings.map(({ type }) => type)
  const statuses = endings.flatMap(({ status }) => (status === null ? [] : [status]))
  const [status = ''] = statuses
  if (!types.includes('recap')) report('terminal', 'the response has no terminal event')
  if (statuses.some((other) => other !== status))
    report('status', `the terminal events have different statuses: ${statuses.map(show).join(', ')}`)
  if (statuses.length > 0 && !FINAL.includes(status))
    report('status', `the terminal event has the status ${show(status)}`)
  if (status !== 'completed') return
  if (!types.includes('completed')) report('terminal', 'a completed response without the event completed')
  if (types.some((type) => type !== 'completed' && type !== 'recap')) {
    report('terminal', 'a completed response with the terminal event of another status')
  }
}
