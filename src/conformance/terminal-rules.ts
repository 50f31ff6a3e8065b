import { listAppend, listLast, listToArray } from '../collections/list.ts'
import { mapEntries, mapGet, mapSet, mapValues } from '../collections/sorted-map.ts'
import type { JsonObject } from '../protocol/json.ts'
import { isObject, isText, toArray } from '../text/json.ts'
import { differsAt } from '../text/json-diff.ts'
import { BRACKETS, type Move } from './event-table.ts'
import { type Report, show } from './rules.ts'
import { checkFields, checkItem, checkShape, isWhole, type Shape } from './schema.ts'
import { type Ending, type GrammarState, type Spoken, speaks, type Turn, wordOf } from './state.ts'

/** The response itself: how it opens, and how it ends. */

const FINAL = ['completed', 'incomplete', 'failed']

const isTwiceTold = (spoken: Spoken): boolean => speaks(spoken, 'recap')

export function openResponse(state: GrammarState, status: string, turn: Turn): GrammarState {
  const { said, spoken, report } = turn
  const response = said.fields.response as JsonObject
  checkResponse(state, response, spoken.shapes.opening, turn)
  if (response.status !== status) report('status', `${said.type} with status ${show(response.status)}`)
  if (state.id !== null || !isText(response.id)) return state
  const { created_at: createdAt } = response
  return { ...state, id: response.id, createdAt: typeof createdAt === 'number' ? createdAt : null }
}

function checkResponse(state: GrammarState, response: JsonObject, shape: Shape, turn: Turn): void {
  const { said, report } = turn
  checkShape(response, shape, `the response of ${said.type}`, 'response', report)
  if (state.id !== null && response.id !== state.id) {
    report('identity', `${said.type} is about response ${show(response.id)}, but this is ${show(state.id)}`)
  }
  if (state.createdAt !== null && response.created_at !== undefined && response.created_at !== state.createdAt) {
    report('identity', `created_at was ${state.createdAt} and is ${show(response.created_at)}`)
  }
}

// ---------------------------------------------------------------- events after a terminal event

const isEnding = ({ does }: Move): boolean => does === 'close' || does === 'recap' || does === 'fail'

const kindOf = ({ type }: Ending): string => (FINAL.includes(type) ? 'close' : type === 'error' ? 'fail' : 'recap')

/**
 * A dialect with one terminal event allows nothing after it, except `failed` after `error`. A dialect with two allows
 * each kind of them once, in any order.
 */
export function checkAfterEnding(state: GrammarState, move: Move, { said, spoken, report }: Turn): void {
  const last = listLast(state.endings)
  if (last === undefined) return
  if (isTwiceTold(spoken)) {
    const again = mapGet(state.ended, move.does) === true
    if (!isEnding(move) || again) report('terminal', `${said.type} after ${last.type}`)
    return
  }
  if (last.type !== 'error') report('terminal', `${said.type} after ${last.type}`)
  else if (said.type !== 'failed') report('error', `${said.type} after an error`)
}

// ---------------------------------------------------------------- terminal events

export function fail(state: GrammarState, { said, spoken, report }: Turn): GrammarState {
  const { error, message } = said.fields
  const why = isObject(error) ? (error.message ?? message) : message
  if (!isTwiceTold(spoken) && !isText(why)) report('error', 'an error that does not say why')
  return withEnding(state, { type: said.type, status: null })
}

const withEnding = (state: GrammarState, ending: Ending): GrammarState => ({
  ...state,
  endings: listAppend(state.endings, ending),
  ended: mapSet(state.ended, kindOf(ending), true),
})

const statusOf = ({ status }: JsonObject): string => wordOf(status)

export function recap(state: GrammarState, turn: Turn): GrammarState {
  const { said, spoken, report } = turn
  const response = said.fields.response as JsonObject
  checkResponse(state, response, spoken.shapes.recap, turn)
  checkUsage(response.usage, spoken, report)
  return withEnding(state, { type: said.type, status: statusOf(response) })
}

export function close(state: GrammarState, turn: Turn): GrammarState {
  const { said, spoken, report } = turn
  const { shapes } = spoken
  const response = said.fields.response as JsonObject
  checkResponse(state, response, shapes.closing, turn)
  checkUsage(response.usage, spoken, report)
  if (!isTwiceTold(spoken) && response.status !== said.type) {
    report('status', `${said.type} with status ${show(response.status)}`)
  }
  if (shapes.reasons) checkReasons(response, report)
  checkOutput(state, response, turn)
  return withEnding(state, { type: said.type, status: statusOf(response) })
}

function checkUsage(usage: unknown, { shapes }: Spoken, report: Report): void {
  if (usage !== null) checkFields(usage, shapes.usage, 'usage', 'usage', report)
}

/** A failed response has an error, an incomplete one has its reason, and a completed one has neither. */
function checkReasons({ status, error, incomplete_details: details, output }: JsonObject, report: Report): void {
  const hasError = isObject(error) && isText(error.code) && isText(error.message)
  const hasDetails = isObject(details) && isText(details.reason)
  if (status === 'failed' ? !hasError : error !== null)
    report('status', `status ${show(status)} with error ${show(error)}`)
  if (status === 'incomplete' ? !hasDetails : details !== null) {
    report('status', `status ${show(status)} with incomplete_details ${show(details)}`)
  }
  if (status !== 'completed') return
  for (const item of toArray(output)) {
    if (isObject(item) && item.status === 'incomplete' && (item.type !== 'function_call' || isWhole(item))) {
      report('status', `status "completed" with an incomplete ${show(item.type)}`)
    }
  }
}

function checkOutput(state: GrammarState, response: JsonObject, { spoken, report }: Turn): void {
  const told = mapValues(state.items).map(({ added, done }) => done ?? added)
  const all = toArray(response.output)
  const output = isSilent(told, spoken) ? all.filter((item) => !isReasoning(item)) : all
  if (output.length !== told.length) {
    report('output', `the output has ${output.length} items, but ${told.length} were told`)
  }
  told.slice(0, output.length).forEach((item, i) => {
    const where = differsAt(item, output[i])
    if (where !== null) report('output', `item ${i} of the output is not as it was told, at "${where}"`)
  })
  if (output !== all) for (const item of all.filter(isReasoning)) checkItem(item, spoken.shapes, report)
  checkThoughts(state, all, report)
}

/** In dialects that do not address reasoning to an item, a reasoning item may appear in the output only. */
const isSilent = (told: readonly JsonObject[], spoken: Spoken): boolean =>
  !speaks(spoken, BRACKETS.summary.added) && told.every(({ type }) => type !== 'reasoning')

const isReasoning = (item: unknown): boolean => isObject(item) && item.type === 'reasoning'

const squeeze = (text: string): string => text.replace(/\s+/g, '')

/**
 * Reasoning without an address must be the reasoning of the items. White space is ignored, because it may separate
 * parts.
 */
function checkThoughts({ thoughts }: GrammarState, output: readonly unknown[], report: Report): void {
  if (thoughts === '') return
  const summaries = output.flatMap((item) => (isObject(item) && item.type === 'reasoning' ? toArray(item.summary) : []))
  const summary = summaries.map((part) => wordOf(isObject(part) ? part.text : part)).join('')
  if (summary !== '' && squeeze(summary) !== squeeze(thoughts)) {
    report('text', `the summaries say ${show(summary)}, but the deltas ${show(thoughts)}`)
  }
}

// ---------------------------------------------------------------- the end of the stream

/** Reports what is missing when the stream ends. */
export function checkEnd({ last, items, unclaimed, endings }: GrammarState, spoken: Spoken, report: Report): void {
  if (last === '') report('opening', 'a stream without events')
  for (const { at, added, done } of mapValues(items)) {
    if (done === null) report('open', `item ${at}, of type ${show(added.type)}, is never done`)
  }
  for (const [whole, count] of mapEntries(unclaimed)) {
    for (let i = 0; i < count; i += 1) report('arguments', `no finished call has the input ${show(whole)}`)
  }
  const all = listToArray(endings)
  if (isTwiceTold(spoken)) checkTwice(all, report)
  else if (!all.some(({ type }) => FINAL.includes(type))) report('terminal', 'the response never ends')
}

/**
 * The short terminal event is always required; the whole response is required at least of a completed one. Both have
 * the same status.
 */
function checkTwice(endings: readonly Ending[], report: Report): void {
  const types = endings.map(({ type }) => type)
  const statuses = endings.flatMap(({ status }) => (status === null ? [] : [status]))
  const [status = ''] = statuses
  if (!types.includes('recap')) report('terminal', 'the response never ends')
  if (statuses.some((other) => other !== status)) report('status', `it ends as ${statuses.map(show).join(' and as ')}`)
  if (statuses.length > 0 && !FINAL.includes(status)) report('status', `it ends as ${show(status)}`)
  if (status !== 'completed') return
  if (!types.includes('completed')) report('terminal', 'a completed response is not told as a whole')
  if (types.some((type) => type !== 'completed' && type !== 'recap')) {
    report('terminal', 'a completed response ends unhappily')
  }
}
