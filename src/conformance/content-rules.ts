import { EMPTY_LIST, listAppend, listAt, listLast, listToArray, listWith } from '../collections/list.ts'
import { mapGet } from '../collections/sorted-map.ts'
import { isObject, isText } from '../text/json.ts'
import { differsAt } from '../text/json-diff.ts'
import { lookup } from '../text/lookup.ts'
import { BRACKETS, type ListName, type Move, TEXT_EVENTS } from './event-table.ts'
import { show } from './rules.ts'
import { checkPart, checkShape } from './schema.ts'
import {
  counted,
  type GrammarState,
  type ItemSaid,
  isAddressed,
  type PartSaid,
  type Spoken,
  speaks,
  type Turn,
  withItem,
  wordOf,
} from './state.ts'

/** The effects of events between the opening and the closing event of an item. */
export type InnerMove = Extract<Move, { readonly items: readonly string[] }>
type PartMove = Extract<InnerMove, { readonly list: ListName }>
type InputMove = Exclude<InnerMove, PartMove>

export const textOf = (part: unknown): unknown => {
  if (!isObject(part)) return undefined
  return part.type === 'refusal' ? part.refusal : part.text
}

export function inside(state: GrammarState, move: InnerMove, turn: Turn): GrammarState {
  const { said, spoken, report } = turn
  if (!isAddressed(spoken, said.type)) return unaddressed(state, move, turn)
  const item = openItem(state, turn)
  if (item === undefined) return state
  if (!move.items.includes(item.type)) {
    report('place', `${said.type} in an item of type ${show(item.type)}`)
    return state
  }
  return withItem(state, 'list' in move ? inList(item, move, turn) : inInput(item, move, turn))
}

/** Returns the item that the event is addressed to; undefined if that item is not open. */
function openItem(state: GrammarState, { said, report }: Turn): ItemSaid | undefined {
  const { output_index: at, item_id: id } = said.fields
  const item = mapGet(state.items, at as number)
  if (item === undefined || item.done !== null) {
    const why = item === undefined ? 'was never added' : 'is done'
    report('scope', `${said.type} in item ${show(at)}, which ${why}`)
    return undefined
  }
  if (id !== undefined && isText(item.added.id) && id !== item.added.id) {
    report('identity', `${said.type} calls item ${item.at} ${show(id)}, but it is ${show(item.added.id)}`)
  }
  return item
}

/** Keeps the text of an event without an address, until a finished item or the end shows where it belongs. */
function unaddressed(state: GrammarState, move: InnerMove, turn: Turn): GrammarState {
  if (move.does === 'say') return { ...state, thoughts: state.thoughts + saidBy(move, turn) }
  if (move.does !== 'feed-whole') return state
  if (!move.items.some((type) => mapGet(state.open, type) !== undefined)) {
    turn.report('scope', `${turn.said.type}, but no call is open`)
  }
  return { ...state, unclaimed: counted(state.unclaimed, saidBy(move, turn), 1) }
}

/** Returns the content of an event: its last column. */
const saidBy = ({ columns }: Move, { said }: Turn): string => wordOf(said.fields[columns.at(-1) ?? ''])

// ---------------------------------------------------------------- parts

function inList(item: ItemSaid, move: PartMove, turn: Turn): ItemSaid {
  const list = item[move.list]
  const index = turn.said.fields[`${move.list}_index`] as number
  if (move.does === 'add-part') return { ...item, [move.list]: listAppend(list, addPart(item, move.list, index, turn)) }
  const part = listAt(list, index)
  if (part === undefined || part.done) {
    const why = part === undefined ? 'was never added' : 'is done'
    turn.report('scope', `${turn.said.type} in part ${index}, which ${why}`)
    return item
  }
  const next = inPart(part, item, move, turn)
  return { ...item, [move.list]: listWith(list, index, next) }
}

function addPart(item: ItemSaid, list: ListName, index: number, { said, spoken, report }: Turn): PartSaid {
  const before = item[list]
  if (index !== before.length) report('index', `a part at ${list}_index ${index}, expected ${before.length}`)
  if (speaks(spoken, BRACKETS[list].done) && listLast(before)?.done === false) {
    report('open', `a part is added to item ${item.at} while another is open`)
  }
  const part = said.fields.part as Readonly<Record<string, unknown>>
  checkNewPart(part, item, list, { said, spoken, report })
  return { type: wordOf(part.type), text: '', whole: false, annotations: EMPTY_LIST, done: false }
}

function checkNewPart(
  part: Readonly<Record<string, unknown>>,
  item: ItemSaid,
  list: ListName,
  { spoken, report }: Turn,
): void {
  const { shapes } = spoken
  if (list === 'summary') {
    const { type, text } = part
    if (!shapes.newSummary(part)) report('added', `a summary part opens as ${show(type)} with ${show(text)}`)
    return
  }
  const shape = lookup(lookup(shapes.newParts, item.type) ?? {}, wordOf(part.type))
  if (shape === undefined) {
    report('part', `a part of type ${show(part.type)} in a ${item.type}`)
    return
  }
  checkShape(part, shape, `a part of type ${show(part.type)}`, 'added', report)
}

function inPart(part: PartSaid, item: ItemSaid, move: PartMove, turn: Turn): PartSaid {
  const { said, report } = turn
  if ('part' in move && move.part !== part.type) {
    report('place', `${said.type} in a part of type ${show(part.type)}`)
    return part
  }
  switch (move.does) {
    case 'say':
      if (part.whole) report('scope', `${said.type} after the whole text was told`)
      return { ...part, text: part.text + saidBy(move, turn) }
    case 'say-whole':
      return sayWhole(part, saidBy(move, turn), turn)
    case 'annotate':
      return annotate(part, turn)
    case 'end-part':
      return endPart(part, item, move.list, turn)
    case 'add-part':
      return part
  }
}

function sayWhole(part: PartSaid, whole: string, { said, report }: Turn): PartSaid {
  if (part.whole) report('scope', `a second ${said.type}`)
  if (whole !== part.text) report('text', `${said.type} says ${show(whole)}, but its deltas ${show(part.text)}`)
  return { ...part, whole: true }
}

function annotate(part: PartSaid, { said, report }: Turn): PartSaid {
  const { annotation_index: index, annotation } = said.fields
  const expected = part.annotations.length
  if (index !== expected) report('index', `annotation_index ${show(index)}, expected ${expected}`)
  return { ...part, annotations: listAppend(part.annotations, annotation) }
}

function endPart(part: PartSaid, item: ItemSaid, list: ListName, { said, spoken, report }: Turn): PartSaid {
  const last = said.fields.part
  if (!part.whole && owesText(part.type, spoken)) report('open', `${said.type} before the whole text was told`)
  checkSamePart(last, part, `${said.type} of item ${item.at}`, { said, spoken, report })
  if (list === 'content') {
    checkPart(last, lookup(spoken.shapes.parts, item.type) ?? {}, spoken.shapes, report)
  }
  return { ...part, done: true }
}

const owesText = (type: string, spoken: Spoken): boolean => {
  const events = lookup(TEXT_EVENTS, type)
  return events === undefined || speaks(spoken, events.done)
}

/** Checks that a part that is sent as a whole equals the part that was sent in deltas. */
export function checkSamePart(whole: unknown, part: PartSaid, what: string, { spoken, report }: Turn): void {
  const { type, annotations = [] } = isObject(whole) ? whole : {}
  if (type !== part.type) report('place', `${what}: a part of type ${show(type)} that was ${show(part.type)}`)
  const text = textOf(whole)
  if (text !== part.text) report('text', `${what}: ${show(text)}, but the deltas said ${show(part.text)}`)
  if (part.type !== 'output_text' || !speaks(spoken, 'output_text.annotation.added')) return
  const where = differsAt(annotations, listToArray(part.annotations))
  if (where !== null) report('annotations', `${what}: the annotations differ from those of the events, at "${where}"`)
}

// ---------------------------------------------------------------- inputs, hosted calls

function inInput(item: ItemSaid, move: InputMove, turn: Turn): ItemSaid {
  const { said, spoken, report } = turn
  const { type } = said
  switch (move.does) {
    case 'feed':
      if (item.whole !== null) report('arguments', `${type} after the whole was told`)
      return { ...item, input: item.input + saidBy(move, turn) }
    case 'feed-whole': {
      const whole = saidBy(move, turn)
      if (item.whole !== null) report('arguments', `a second ${type}`)
      if (speaks(spoken, move.pieces) && whole !== item.input) {
        report('arguments', `${type} says ${show(whole)}, but its deltas ${show(item.input)}`)
      }
      return { ...item, whole }
    }
    case 'work': {
      const { phase } = move
      if (phase === null) return item
      if (phase < item.phase || (phase === 2 && item.phase === 2)) report('phase', `${type} comes too late, or again`)
      return { ...item, phase }
    }
  }
}
