import { type Machine, NOTHING } from '../machine/machine.ts'
import { isObject, isText } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { inside } from './content-rules.ts'
import { ALL_MOVES, MOVES, type Move, ONLY_AFTER, ONLY_THEN } from './event-table.ts'
import { addItem, endItem } from './item-rules.ts'
import { EVENT_SHAPES } from './item-schemas.ts'
import { type Report, show, type Violation } from './rules.ts'
import { isCount, isString, type Test } from './schema.ts'
import { type GrammarState, type Said, SILENCE, type Spoken, speaks, type Turn } from './state.ts'
import { checkAfterEnding, checkEnd, close, fail, openResponse, recap } from './terminal-rules.ts'

/**
 * The checker of Responses streams: one event in, its violations out; `end` reports what is missing. The effect of each
 * event is a table (`event-table.ts`); `spoken` has the events and objects that the stream can have. Accepts any
 * input, and continues after a violation as well as it can. An event costs O(log n) for n items so far; an event that
 * ends something costs the size of what it ends.
 */
export function grammar(spoken: Spoken): Machine<GrammarState, Said, Violation> {
  return {
    initial: SILENCE,

    step(state, said) {
      const found: Violation[] = []
      const turn: Turn = { said, spoken, report: into(found) }
      const move = lookup<Move>(ALL_MOVES, said.type)
      if (move === undefined || !speaks(spoken, said.type)) {
        turn.report('event', `this stream has no event ${show(said.type)}`)
        return { state, events: found }
      }
      checkOrder(state, turn)
      checkAfterEnding(state, move, turn)
      const next = checkColumns(state, turn) ? perform(state, move, turn) : state
      return { state: { ...next, last: said.type }, events: found.length === 0 ? NOTHING : found }
    },

    end(state) {
      const found: Violation[] = []
      checkEnd(state, spoken, into(found))
      return found
    },
  }
}

/** Internal events, before a dialect writes them: all events, with all their fields. */
export const OWN_EVENTS: Spoken = {
  columns: Object.fromEntries(
    Object.entries<Move>(MOVES).map(([type, { columns }]) => [
      type,
      columns.includes('output_index') ? ['response_id', ...columns] : columns,
    ]),
  ),
  shapes: EVENT_SHAPES,
}

const into =
  (found: Violation[]): Report =>
  (rule, message) => {
    found.push({ rule, message })
  }

function checkOrder({ last }: GrammarState, { said, spoken, report }: Turn): void {
  const then = ONLY_THEN[last]
  const after = ONLY_AFTER[said.type]
  const mustThen = then !== undefined && !then.includes(said.type) && then.some((type) => speaks(spoken, type))
  const mustAfter = after !== undefined && !after.includes(last)
  if (mustThen || mustAfter) report('opening', `${said.type} ${last === '' ? 'at the start' : `after ${last}`}`)
}

/** The test of a column in every event. A column without a row may be missing: not every service has it. */
const COLUMNS: Readonly<Record<string, Test>> = {
  response_id: isText,
  item_id: isText,
  output_index: isCount,
  content_index: isCount,
  summary_index: isCount,
  annotation_index: isCount,
  command_index: isCount,
  response: isObject,
  item: isObject,
  part: isObject,
  annotation: isObject,
  delta: isString,
  text: isString,
  refusal: isString,
  arguments: isString,
  input: isString,
}

/** Returns whether the columns allow the event to be applied; reports those that do not. */
function checkColumns({ id }: GrammarState, { said, spoken, report }: Turn): boolean {
  const columns = spoken.columns[said.type] ?? []
  const wrong = columns.filter((column) => lookup(COLUMNS, column)?.(said.fields[column]) === false)
  for (const column of wrong) report('columns', `${said.type}: ${column} is ${show(said.fields[column])}`)
  if (columns.includes('response_id') && id !== null && said.fields.response_id !== id) {
    report('identity', `${said.type} is about response ${show(said.fields.response_id)}, but this is ${show(id)}`)
  }
  return wrong.length === 0
}

function perform(state: GrammarState, move: Move, turn: Turn): GrammarState {
  switch (move.does) {
    case 'open':
      return openResponse(state, move.status, turn)
    case 'add-item':
      return addItem(state, turn)
    case 'end-item':
      return endItem(state, turn)
    case 'close':
      return close(state, turn)
    case 'recap':
      return recap(state, turn)
    case 'fail':
      return fail(state, turn)
    case 'nothing':
      return state
    default:
      return inside(state, move, turn)
  }
}
