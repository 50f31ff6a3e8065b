import { listToArray } from '../../../collections/list.ts'
import type { ContentKind } from '../../../protocol/delta.ts'
import type { HostedItemType } from '../../../protocol/item.ts'
import type { Bag, JsonObject } from '../../../protocol/json.ts'
import { LONGEST } from '../../../protocol/limits.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { isDeeperThan, isObject, isText, toArray, wordOf } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import { ITEM_OF, PART_KINDS } from '../terms.ts'
import { citeRest } from './citations.ts'
import { isCall, sayMore, sayName, wholeText } from './deltas.ts'
import { addItem, addRun, findItem } from './index-map.ts'
import { lastOf, lastOpenOf } from './positions.ts'
import { hostedType, toHosted } from './server-tools.ts'
import { ITEM_NAMES, itemAt, type Run, runOf, type Story, toIndex, withItem } from './state.ts'

const KNOWN: ReadonlySet<string> = new Set(Object.values(ITEM_OF))

const sealOf = ({ encrypted_content }: Bag): string => (isText(encrypted_content) ? encrypted_content : '')

export function openItem(story: Story, index: number | null, item: Bag, quirks: Quirks): Story {
  const { id, type } = item
  return addItem(story, {
    index,
    id: isText(id) ? id : '',
    type: wordOf(type),
    hosted: hostedType(item, quirks),
    sealed: sealOf(item),
  })
}

/** Emits an item whole, except for fields that are nested too deep to be serialised. */
function sayHosted(type: HostedItemType, key: string, item: Bag, done: boolean, say: Say): void {
  const deep = Object.keys(item).filter((name) => isDeeperThan(LONGEST.nesting, item[name]))
  if (deep.length > 0) loss('a field that is nested too deep', say)
  const shown = deep.length === 0 ? item : { ...item, ...Object.fromEntries(deep.map((name) => [name, null])) }
  say.push({ kind: 'hosted', key, item: toHosted(type, shown), done })
}

/** Opens an item. An item that is announced twice is one item; an index that is used again is another item. */
export function hearAdded(story: Story, event: Bag, say: Say, quirks: Quirks): Story {
  const { item } = event
  if (!isObject(item)) return story
  const index = toIndex(event.output_index)
  const again =
    isText(item.id) && isText(item.type) && lastOpenOf(story.places, ITEM_NAMES.idAt(item.id, item.type, index)) >= 0
  if (again) return story
  const at = story.items.length
  const opened = openItem(story, index, item, quirks)
  const { key, hosted } = itemAt(opened, at)
  if (hosted !== null) sayHosted(hosted, key, item, false, say)
  return sayName(opened, at, item, say)
}

/** Finishes an item, and emits the content that its pieces did not have. */
export function hearDone(story: Story, event: Bag, say: Say, quirks: Quirks): Story {
  const { item } = event
  if (!isObject(item)) return closeNameless(story, event, say)
  const type = wordOf(item.type)
  const open = findItem(story, event, item.id, type, true)
  if (open >= 0) return finishItem(story, open, item, say)
  // An upstream that counts too early sends the index of the next item. The id identifies the item then.
  const index = toIndex(event.output_index)
  const named = isText(item.id)
    ? Math.max(
        lastOpenOf(story.places, ITEM_NAMES.id(item.id, type)),
        lastOf(story.places, ITEM_NAMES.idAt(item.id, type, index)),
      )
    : findItem(story, event, null, type, false)
  if (named >= 0) return itemAt(story, named).done ? story : finishItem(story, named, item, say)
  const opened = openItem(story, index, item, quirks)
  return finishItem(opened, story.items.length, item, say)
}

/** Open Responses allows `item` to be null when an item is done. */
function closeNameless(story: Story, event: Bag, say: Say): Story {
  const index = toIndex(event.output_index)
  const at = index === null ? -1 : lastOpenOf(story.places, ITEM_NAMES.untyped(index))
  return at < 0 ? story : closeItem(story, at, say)
}

function closeItem(story: Story, at: number, say: Say): Story {
  say.push({ kind: 'stop', key: itemAt(story, at).key })
  return withItem(story, at, { done: true })
}

/** Whether the answer was cut off inside the item, which then ends with the answer. */
const isCut = ({ status }: Bag): boolean => status === 'incomplete'

/** Emits the content of a whole item that was not emitted yet, and ends the item. */
export function finishItem(story: Story, at: number, item: Bag, say: Say): Story {
  const { key, type, hosted } = itemAt(story, at)
  if (hosted !== null) {
    sayHosted(hosted, key, item, !isCut(item), say)
    return withItem(story, at, { done: true })
  }
  if (!KNOWN.has(type)) {
    loss(`item ${type}`, say)
    return withItem(story, at, { done: true })
  }
  const filled = fillItem(story, at, item, say)
  return isCut(item) ? withItem(filled, at, { done: true }) : closeItem(filled, at, say)
}

function fillItem(story: Story, at: number, item: Bag, say: Say): Story {
  switch (item.type) {
    case 'message':
      // Without the phase, clients cannot distinguish commentary from the final answer.
      if (item.phase === 'commentary') loss('the phase of a message', say)
      return fillParts(story, at, partsOf(item.content, 'output_text', say), ['text', 'refusal'], say)
    case 'reasoning':
      return fillReasoning(story, at, item, say)
    case 'function_call':
      lossesOf(item, say)
      return fillCall(sayName(story, at, item, say), at, item.arguments, 'function_call', say)
    case 'custom_tool_call':
      return fillCall(sayName(story, at, item, say), at, item.input, 'custom_tool_call', say)
    default:
      return story
  }
}

/** Items of calls have no fields for the caller and for the namespace of the tool. */
function lossesOf({ namespace, name, caller }: Bag, say: Say): void {
  if (isText(namespace) && namespace !== name) loss('the namespace of a call', say)
  if (isObject(caller) && caller.type !== 'direct') loss('the caller of a call', say)
}

function fillCall(story: Story, at: number, whole: unknown, of: Run['of'], say: Say): Story {
  return fillRuns(story, at, of, [{ of, text: wholeText(whole), logprobs: null, annotations: null }], say)
}

/** Encrypted content goes back unchanged with the other fields of its item: OpenAI checks that they belong together. */
function fillReasoning(story: Story, at: number, item: Bag, say: Say): Story {
  const parts = [...partsOf(item.summary, 'summary_text', say), ...partsOf(item.content, 'reasoning_text', say)]
  const told = fillParts(story, at, parts, ['summary', 'reasoning'], say)
  const { key, sealed } = itemAt(told, at)
  const encrypted_content = sealOf(item) || sealed
  if (encrypted_content === '') return told
  const { type, status, ...rest } = item as JsonObject
  say.push({ kind: 'opaque', key, payload: { ...rest, encrypted_content } })
  return withItem(told, at, { sealed: encrypted_content })
}

/** A part of a finished item. */
interface Final {
  readonly of: Run['of']
  readonly text: string
  readonly logprobs: readonly Logprob[] | null
  readonly annotations: unknown
}

const isFinal = (final: Final | null): final is Final => final !== null

function finalOf(part: unknown, usual: string, say: Say): Final | null {
  const bag: Bag = isObject(part) ? part : { type: usual, text: part }
  const type = isText(bag.type) ? bag.type : usual
  const of = lookup<ContentKind>(PART_KINDS, type)
  if (of === undefined) {
    loss(`content part ${type}`, say)
    return null
  }
  const text = wholeText(of === 'refusal' ? bag.refusal : bag.text)
  // A part of type `text` in a reasoning item is reasoning.
  const meant = of === 'text' && usual !== 'output_text' ? 'reasoning' : of
  return { of: meant, text, logprobs: toLogprobs(bag.logprobs), annotations: bag.annotations }
}

/** Reads parts, which are a list of parts or of strings, or one string. */
const partsOf = (parts: unknown, usual: string, say: Say): readonly Final[] =>
  (isText(parts) ? [parts] : toArray(parts)).map((part) => finalOf(part, usual, say)).filter(isFinal)

const fillParts = (story: Story, at: number, finals: readonly Final[], kinds: readonly Run['of'][], say: Say): Story =>
  kinds.reduce(
    (now, of) =>
      fillRuns(
        now,
        at,
        of,
        finals.filter((final) => final.of === of),
        say,
      ),
    story,
  )

const joined = (list: readonly { readonly text: string }[]): string => list.map(({ text }) => text).join('')

/** If the whole text was received, only citations may be new: some servers stream their text in other parts. */
function fillRuns(story: Story, at: number, of: Run['of'], finals: readonly Final[], say: Say): Story {
  const runs = listToArray(itemAt(story, at).runs)
  const own = runs.flatMap((run, i) => (run.of === of ? [i] : []))
  const all = joined(finals) === joined(runs.filter((run) => run.of === of))
  return finals.reduce((now, final, i) => {
    const last = own[Math.min(i, own.length - 1)]
    const run = own[i] ?? (all ? last : undefined)
    if (run !== undefined) return fillRun(now, at, run, final, all, say)
    const added = addRun(now, at, of, null)
    return fillRun(added.story, at, added.run, final, false, say)
  }, story)
}

/**
 * Emits the rest of a text. A text that differs from the emitted one is a loss, because deltas cannot be taken back.
 */
function fillRun(story: Story, at: number, run: number, final: Final, all: boolean, say: Say): Story {
  const { of, text } = runOf(story, at, run)
  const adds = !all && final.text.startsWith(text)
  const told = adds ? sayMore(story, at, run, final.text.slice(text.length), final.logprobs, say) : story
  if (!all && !adds && final.text !== '') loss('a text that was told in two versions', say)
  return isCall(of) ? told : citeRest(told, at, run, final.annotations, say)
}
