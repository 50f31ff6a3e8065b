import { EMPTY_LIST, listAppend, listAt, listLast, listToArray, listWith } from '../collections/list.ts'
import { mapGet } from '../collections/sorted-map.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { firstDifference } from '../text/json-diff.ts'
import { lookup } from '../text/lookup.ts'
import { BRACKETS, type EventSpec, type ListName, TEXT_EVENTS } from './event-table.ts'
import { show } from './rules.ts'
import { checkPart, checkShape } from './schema.ts'
import {
  type CheckContext,
  type CheckState,
  type DialectEvents,
  type ItemRecord,
  isAddressed,
  nameOf,
  type PartRecord,
  supports,
  withCount,
  withItemRecord,
} from './state.ts'

/** The effects of events between the opening and the closing event of an item. */
type InnerSpec = Extract<EventSpec, { readonly items: readonly string[] }>
type PartMove = Extract<InnerSpec, { readonly list: ListName }>
type InputMove = Exclude<InnerSpec, PartMove>

const partTextOf = (part: unknown): unknown => {
  if (!isObject(part)) return undefined
  return part.type === 'refusal' ? part.refusal : part.text
}

export function checkInside(state: CheckState, move: InnerSpec, turn: CheckContext): CheckState {
  const { event, dialect, report } = turn
  if (!isAddressed(dialect, event.type)) return unaddressed(state, move, turn)
  const item = openItem(state, turn)
  if (item === undefined) return state
  if (!move.items.includes(item.type)) {
    report('place', `${event.type} in an item of type ${show(item.type)}`)
    return state
  }
  return withItemRecord(state, 'list' in move ? inList(item, move, turn) : inInput(item, move, turn))
}

/** Returns the item that the event is addressed to; undefined if that item is not open. */
function openItem(state: CheckState, { event, report }: CheckContext): ItemRecord | undefined {
  const { output_index: at, item_id: id } = event.fields
  const item = mapGet(state.items, at as number)
  if (item === undefined || item.done !== null) {
    const why = item === undefined ? 'was never added' : 'is already done'
    report('scope', `${event.type} refers to item ${show(at)}, which ${why}`)
    return undefined
  }
  if (id !== undefined && isNonEmptyString(item.added.id) && id !== item.added.id) {
    report('identity', `${event.type} has the item id ${show(id)} for item ${item.at}, expected ${show(item.added.id)}`)
  }
  return item
}

/** Keeps the text of an event without an address, until a finished item or the end shows where it belongs. */
function unaddressed(state: CheckState, move: InnerSpec, turn: CheckContext): CheckState {
  if (move.does === 'text') return { ...state, reasoning: state.reasoning + textOfEvent(move, turn) }
  if (move.does !== 'feed-whole') return state
  if (!move.items.some((type) => mapGet(state.open, type) !== undefined)) {
    turn.report('scope', `${turn.event.type}, but no call is open`)
  }
  return { ...state, unclaimed: withCount(state.unclaimed, textOfEvent(move, turn), 1) }
}

/** Returns the content of an event: its last column. */
const textOfEvent = ({ columns }: EventSpec, { event }: CheckContext): string =>
  nameOf(event.fields[columns.at(-1) ?? ''])

// ---------------------------------------------------------------- parts

function inList(item: ItemRecord, move: PartMove, turn: CheckContext): ItemRecord {
  const list = item[move.list]
  const index = turn.event.fields[`${move.list}_index`] as number
  if (move.does === 'add-part') return { ...item, [move.list]: listAppend(list, addPart(item, move.list, index, turn)) }
  const part = listAt(list, index)
  if (part === undefined || part.done) {
    const why = part === undefined ? 'was never added' : 'is already done'
    turn.report('scope', `${turn.event.type} refers to part ${index}, which ${why}`)
    return item
  }
  const next = inPart(part, item, move, turn)
  return { ...item, [move.list]: listWith(list, index, next) }
}

function addPart(
  item: ItemRecord,
  list: ListName,
  index: number,
  { event, dialect, report }: CheckContext,
): PartRecord {
  const before = item[list]
  if (index !== before.length) report('index', `a part at ${list}_index ${index}, expected ${before.length}`)
  if (supports(dialect, BRACKETS[list].done) && listLast(before)?.done === false) {
    report('open', `a part is added to item ${item.at} while another is open`)
  }
  const part = event.fields.part as Readonly<Record<string, unknown>>
  checkNewPart(part, item, list, { event, dialect, report })
  return { type: nameOf(part.type), text: '', whole: false, annotations: EMPTY_LIST, done: false }
}

function checkNewPart(
  part: Readonly<Record<string, unknown>>,
  item: ItemRecord,
  list: ListName,
  { dialect, report }: CheckContext,
): void {
  const { shapes } = dialect
  if (list === 'summary') {
    const { type, text } = part
    if (!shapes.newSummary(part))
      report('added', `a summary part is added with type ${show(type)} and text ${show(text)}`)
    return
  }
  const shape = lookup(lookup(shapes.newParts, item.type) ?? {}, nameOf(part.type))
  if (shape === undefined) {
    report('part', `a part of type ${show(part.type)} in an item of type ${show(item.type)}`)
    return
  }
  checkShape(part, shape, `a part of type ${show(part.type)}`, 'added', report)
}

function inPart(part: PartRecord, item: ItemRecord, move: PartMove, turn: CheckContext): PartRecord {
  const { event, report } = turn
  if ('part' in move && move.part !== part.type) {
    report('place', `${event.type} in a part of type ${show(part.type)}`)
    return part
  }
  switch (move.does) {
    case 'text':
      if (part.whole) report('scope', `${event.type} after the complete text`)
      return { ...part, text: part.text + textOfEvent(move, turn) }
    case 'whole-text':
      return applyWholeText(part, textOfEvent(move, turn), turn)
    case 'annotate':
      return annotate(part, turn)
    case 'end-part':
      return endPart(part, item, move.list, turn)
    case 'add-part':
      return part
  }
}

function applyWholeText(part: PartRecord, whole: string, { event, report }: CheckContext): PartRecord {
  if (part.whole) report('scope', `a second ${event.type}`)
  if (whole !== part.text)
    report('text', `${event.type} contains ${show(whole)}, but its deltas contain ${show(part.text)}`)
  return { ...part, whole: true }
}

function annotate(part: PartRecord, { event, report }: CheckContext): PartRecord {
  const { annotation_index: index, annotation } = event.fields
  const expected = part.annotations.length
  if (index !== expected) report('index', `annotation_index ${show(index)}, expected ${expected}`)
  return { ...part, annotations: listAppend(part.annotations, annotation) }
}

function endPart(
  part: PartRecord,
  item: ItemRecord,
  list: ListName,
  { event, dialect, report }: CheckContext,
): PartRecord {
  const last = event.fields.part
  if (!part.whole && needsText(part.type, dialect)) report('open', `${event.type} before the complete text`)
  checkSamePart(last, part, `${event.type} of item ${item.at}`, { event, dialect, report })
  if (list === 'content') {
    checkPart(last, lookup(dialect.shapes.parts, item.type) ?? {}, dialect.shapes, report)
  }
  return { ...part, done: true }
}

const needsText = (type: string, dialect: DialectEvents): boolean => {
  const events = lookup(TEXT_EVENTS, type)
  return events === undefined || supports(dialect, events.done)
}

/** Checks that a part that is sent as a whole equals the part that was sent in deltas. */
export function checkSamePart(whole: unknown, part: PartRecord, what: string, { dialect, report }: CheckContext): void {
  const { type, annotations = [] } = isObject(whole) ? whole : {}
  if (type !== part.type) report('place', `${what}: the type is ${show(type)}, expected ${show(part.type)}`)
  const text = partTextOf(whole)
  if (text !== part.text)
    report('text', `${what}: the text is ${show(text)}, but the deltas contain ${show(part.text)}`)
  if (part.type !== 'output_text' || !supports(dialect, 'output_text.annotation.added')) return
  const where = firstDifference(annotations, listToArray(part.annotations))
  if (where !== null) report('annotations', `${what}: the annotations differ from the events', at "${where}"`)
}

// ---------------------------------------------------------------- inputs, hosted calls

function inInput(item: ItemRecord, move: InputMove, turn: CheckContext): ItemRecord {
  const { event, dialect, report } = turn
  const { type } = event
  switch (move.does) {
    case 'feed':
      if (item.whole !== null) report('arguments', `${type} after the complete input`)
      return { ...item, input: item.input + textOfEvent(move, turn) }
    case 'feed-whole': {
      const whole = textOfEvent(move, turn)
      if (item.whole !== null) report('arguments', `a second ${type}`)
      if (supports(dialect, move.pieces) && whole !== item.input) {
        report('arguments', `${type} contains ${show(whole)}, but its deltas contain ${show(item.input)}`)
      }
      return { ...item, whole }
    }
    case 'work': {
      const { phase } = move
      if (phase === null) return item
      if (phase < item.phase || (phase === 2 && item.phase === 2))
        report('phase', `${type} is out of order or repeated`)
      return { ...item, phase }
    }
  }
}
