import { type Machine, NOTHING } from '../machine/machine.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { checkInside } from './content-rules.ts'
import { ALL_EVENTS, type EventSpec, ONLY_AFTER, ONLY_THEN } from './event-table.ts'
import { checkItemAdded, checkItemDone } from './item-rules.ts'
import { type Report, show, type Violation } from './rules.ts'
import { type FieldTest, isCount, isString } from './schema.ts'
import {
  type CheckContext,
  type CheckState,
  type DialectEvents,
  INITIAL_CHECK,
  type ReceivedEvent,
  supports,
} from './state.ts'
import { checkAfterEnding, checkClosed, checkEnd, checkFailed, checkOpened, checkSummary } from './terminal-rules.ts'

/**
 * The checker of Responses streams: one event in, its violations out; `end` reports what is missing. The effect of each
 * event is a table (`event-table.ts`); `dialect` has the events and objects that the stream can have. Accepts any
 * input, and continues after a violation as well as it can. An event costs O(log n) for n items so far; an event that
 * ends something costs the size of what it ends.
 */
export function checkEvents(dialect: DialectEvents): Machine<CheckState, ReceivedEvent, Violation> {
  return {
    initial: INITIAL_CHECK,

    step(state, event) {
      const found: Violation[] = []
      const turn: CheckContext = { event, dialect, report: into(found) }
      const move = lookup<EventSpec>(ALL_EVENTS, event.type)
      if (move === undefined || !supports(dialect, event.type)) {
        turn.report('event', `${show(event.type)} is not an event of this stream`)
        return { state, events: found }
      }
      checkOrder(state, turn)
      checkAfterEnding(state, move, turn)
      const next = checkColumns(state, turn) ? perform(state, move, turn) : state
      return { state: { ...next, last: event.type }, events: found.length === 0 ? NOTHING : found }
    },

    end(state) {
      const found: Violation[] = []
      checkEnd(state, dialect, into(found))
      return found
    },
  }
}

const into =
  (found: Violation[]): Report =>
  (rule, message) => {
    found.push({ rule, message })
  }

function checkOrder({ last }: CheckState, { event, dialect, report }: CheckContext): void {
  const then = ONLY_THEN[last]
  const after = ONLY_AFTER[event.type]
  const mustThen = then !== undefined && !then.includes(event.type) && then.some((type) => supports(dialect, type))
  const mustAfter = after !== undefined && !after.includes(last)
  if (mustThen || mustAfter)
    report('opening', `unexpected ${event.type} ${last === '' ? 'at the start' : `after ${last}`}`)
}

/** The test of a column in every event. A column without a row may be missing: not every service has it. */
const COLUMNS: Readonly<Record<string, FieldTest>> = {
  response_id: isNonEmptyString,
  item_id: isNonEmptyString,
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
function checkColumns({ id }: CheckState, { event, dialect, report }: CheckContext): boolean {
  const columns = dialect.columns[event.type] ?? []
  const wrong = columns.filter((column) => lookup(COLUMNS, column)?.(event.fields[column]) === false)
  for (const column of wrong) report('columns', `${event.type}: ${column} is ${show(event.fields[column])}`)
  if (columns.includes('response_id') && id !== null && event.fields.response_id !== id) {
    report('identity', `${event.type} has the response id ${show(event.fields.response_id)}, expected ${show(id)}`)
  }
  return wrong.length === 0
}

function perform(state: CheckState, move: EventSpec, turn: CheckContext): CheckState {
  switch (move.does) {
    case 'open':
      return checkOpened(state, move.status, turn)
    case 'add-item':
      return checkItemAdded(state, turn)
    case 'end-item':
      return checkItemDone(state, turn)
    case 'close':
      return checkClosed(state, turn)
    case 'recap':
      return checkSummary(state, turn)
    case 'fail':
      return checkFailed(state, turn)
    case 'nothing':
      return state
    default:
      return checkInside(state, move, turn)
  }
}
