import { listToArray } from '../../../collections/list.ts'
import type { ContentKind } from '../../../protocol/delta.ts'
import type { HostedItem, HostedItemType } from '../../../protocol/item.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../protocol/limits.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { PROGRESS_EVENTS, type ProgressName, progressFields } from '../../../protocol/progress.ts'
import { DIFFERENT } from '../../../responses/final-values.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import { isDeeperThan, isNonEmptyString, isObject, parseJson, scalarToString, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { shortWord } from '../../shared/upstream/answers/finish-reasons.ts'
import { imageFields } from '../../shared/upstream/answers/generated-image.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import { HOSTED, ITEM_OF, PART_KINDS, type PARTS, partKindOf } from '../terms.ts'
import { citeOnce, citeRest } from './citations.ts'
import { emitMore, emitName, emitPhase, isCall, settleItem, settleRun, wholeText } from './deltas.ts'
import {
  addReceivedItem,
  addRun,
  type DecoderProgress,
  ensureReceivedItem,
  ensureRun,
  findItem,
  findRun,
  findShifted,
  ITEM_NAMES,
  innerIndex,
  kindInItem,
  lastOf,
  lastOpenOf,
  listOfPart,
  type PartRun,
  partRunOf,
  receivedItemAt,
  runName,
  toIndex,
  withReceivedItem,
  withRun,
} from './state.ts'

const KNOWN: ReadonlySet<string> = new Set(Object.values(ITEM_OF))

const sealOf = ({ encrypted_content }: JsonRecord): string =>
  isNonEmptyString(encrypted_content) ? encrypted_content : ''

export function openItem(
  progress: DecoderProgress,
  index: number | null,
  item: JsonRecord,
  quirks: Quirks,
): DecoderProgress {
  const { id, type } = item
  return addReceivedItem(progress, {
    index,
    id: isNonEmptyString(id) ? id : '',
    type: scalarToString(type),
    callId: scalarToString(item.call_id),
    hosted: hostedType(item, quirks),
    sealed: sealOf(item),
    item: item as JsonObject,
  })
}

/** xAI's searches of X have no item of their own: clients receive them as searches of the web. */
const isWebSearch = (name: unknown): boolean => isNonEmptyString(name) && name.startsWith('web_')

/** Emits an item whole, except for fields that are nested too deep to be serialised. */
function emitHosted(type: HostedItemType, key: string, item: JsonRecord, done: boolean, deltas: Deltas): void {
  const deep = Object.keys(item).filter((name) => isDeeperThan(MAX_LENGTHS.nesting, item[name]))
  if (deep.length > 0) emitLoss('a field that is nested too deeply', deltas)
  if (item.type === 'custom_tool_call' && done && !isWebSearch(item.name))
    emitLoss(`the tool ${shortWord(scalarToString(item.name))}`, deltas)
  const shown = deep.length === 0 ? item : { ...item, ...Object.fromEntries(deep.map((name) => [name, null])) }
  deltas.push({ kind: 'hosted', key, item: toHosted(type, shown), done })
}

/** Items keep their order: a text before the next item is no longer held back. */
function settleLast(progress: DecoderProgress, deltas: Deltas): DecoderProgress {
  const last = progress.items.length - 1
  if (last < 0) return progress
  const { type, key, done } = receivedItemAt(progress, last)
  if (type !== 'message' && type !== 'reasoning') return progress
  const settled = settleItem(progress, last, deltas)
  // More of its text may follow.
  if (type === 'message' && !done) deltas.push({ kind: 'hold', key })
  return settled
}

/** Opens an item. An item that is announced twice is one item; an index that is used again is another item. */
export function applyAdded(
  progress: DecoderProgress,
  event: JsonRecord,
  deltas: Deltas,
  quirks: Quirks,
): DecoderProgress {
  const { item } = event
  if (!isObject(item)) return progress
  const index = toIndex(event.output_index)
  const again =
    isNonEmptyString(item.id) &&
    isNonEmptyString(item.type) &&
    lastOpenOf(progress.positions, ITEM_NAMES.idAt(item.id, item.type, index)) >= 0
  if (again) return progress
  const at = progress.items.length
  const opened = openItem(settleLast(progress, deltas), index, item, quirks)
  const { key, hosted } = receivedItemAt(opened, at)
  if (hosted !== null) emitHosted(hosted, key, item, false, deltas)
  return emitName(emitPhase(opened, at, item, deltas), at, item, deltas)
}

/** Finishes an item, and emits the content that its pieces did not have. */
export function applyDone(
  progress: DecoderProgress,
  event: JsonRecord,
  deltas: Deltas,
  quirks: Quirks,
): DecoderProgress {
  const { item } = event
  if (!isObject(item)) return closeNameless(progress, event, deltas)
  const type = scalarToString(item.type)
  const open = findItem(progress, event, item.id, type, true)
  if (open >= 0) return finishItem(progress, open, item, deltas)
  // An upstream that counts too early sends the index of the next item. The id identifies the item then.
  const index = toIndex(event.output_index)
  const named = isNonEmptyString(item.id)
    ? Math.max(
        lastOpenOf(progress.positions, ITEM_NAMES.id(item.id, type)),
        lastOf(progress.positions, ITEM_NAMES.idAt(item.id, type, index)),
      )
    : findItem(progress, event, null, type, false)
  const found = named >= 0 ? named : findShifted(progress, event, item.item_id, type, textOf(item))
  if (found >= 0) return receivedItemAt(progress, found).done ? progress : finishItem(progress, found, item, deltas)
  const opened = openItem(progress, index, item, quirks)
  return finishItem(opened, progress.items.length, item, deltas)
}

/** Returns all text of an item, in the order in which its parts are sent. */
const textOf = ({ arguments: args, input, summary, content }: JsonRecord): string =>
  [args, input, ...[summary].flat(), ...[content].flat()]
    .map((part) => (isObject(part) ? (part.text ?? part.refusal) : part))
    .filter(isNonEmptyString)
    .join('')

/** Open Responses allows `item` to be null when an item is done. */
function closeNameless(progress: DecoderProgress, event: JsonRecord, deltas: Deltas): DecoderProgress {
  const index = toIndex(event.output_index)
  const at = index === null ? -1 : lastOpenOf(progress.positions, ITEM_NAMES.untyped(index))
  return at < 0 ? progress : closeItem(progress, at, deltas)
}

function closeItem(progress: DecoderProgress, at: number, deltas: Deltas): DecoderProgress {
  const settled = settleItem(progress, at, deltas)
  deltas.push({ kind: 'stop', key: receivedItemAt(settled, at).key })
  return withReceivedItem(settled, at, { done: true })
}

/** Whether the answer was cut off inside the item, which then ends with the answer. Patches have no such status. */
const isCut = ({ type, status }: JsonRecord): boolean =>
  status === 'incomplete' || (status === 'in_progress' && type === 'apply_patch_call')

/** Emits the content of a whole item that was not emitted yet, and ends the item. */
export function finishItem(before: DecoderProgress, at: number, item: JsonRecord, deltas: Deltas): DecoderProgress {
  const { key, type, hosted, item: announced } = receivedItemAt(before, at)
  const progress = withReceivedItem(before, at, { item: announced === item ? announced : filledItem(announced, item) })
  if (hosted !== null) {
    emitHosted(hosted, key, item, !isCut(item), deltas)
    return withReceivedItem(progress, at, { done: true })
  }
  if (!KNOWN.has(type)) {
    emitLoss(`item ${type}`, deltas)
    return withReceivedItem(progress, at, { done: true })
  }
  const filled = fillItem(progress, at, item, deltas)
  return isCut(item) ? withReceivedItem(filled, at, { done: true }) : closeItem(filled, at, deltas)
}

/** A done item may leave out what was announced, or have it empty. */
function filledItem(announced: JsonObject | null, done: JsonRecord): JsonObject {
  const given = Object.entries(done as JsonObject).filter(
    ([name, value]) => (value !== null && value !== '') || announced?.[name] === undefined,
  )
  return { ...announced, ...Object.fromEntries(given) }
}

function fillItem(progress: DecoderProgress, at: number, item: JsonRecord, deltas: Deltas): DecoderProgress {
  switch (item.type) {
    case 'message':
      return fillParts(
        emitPhase(progress, at, item, deltas),
        at,
        partsOf(item.content, 'output_text', deltas),
        ['text', 'refusal'],
        deltas,
      )
    case 'reasoning':
      return fillReasoning(progress, at, item, deltas)
    case 'function_call':
      if (item.subagent_id || item.subagent_items) emitLoss('the subagent of a call', deltas)
      return fillCall(emitName(progress, at, item, deltas), at, item.arguments, 'function_call', deltas)
    case 'custom_tool_call':
      return fillCall(emitName(progress, at, item, deltas), at, item.input, 'custom_tool_call', deltas)
    default:
      return progress
  }
}

function fillCall(
  progress: DecoderProgress,
  at: number,
  whole: unknown,
  of: PartRun['of'],
  deltas: Deltas,
): DecoderProgress {
  return fillRuns(progress, at, of, [{ of, text: wholeText(whole, deltas), logprobs: null, annotations: null }], deltas)
}

/**
 * The fields of a reasoning item that go back with its encrypted content, unchanged: OpenAI checks that they belong
 * together, and requires `summary`.
 */
export const payloadOf = ({ type, status, ...fields }: JsonObject, encrypted_content: string): JsonObject => ({
  ...fields,
  summary: fields.summary ?? [],
  encrypted_content,
})

function fillReasoning(progress: DecoderProgress, at: number, item: JsonRecord, deltas: Deltas): DecoderProgress {
  const parts = [...partsOf(item.summary, 'summary_text', deltas), ...partsOf(item.content, 'reasoning_text', deltas)]
  const filled = fillParts(progress, at, parts, ['summary', 'reasoning'], deltas)
  const { key, sealed } = receivedItemAt(filled, at)
  const encrypted_content = sealOf(item) || sealed
  if (encrypted_content === '') {
    if (isNonEmptyString(item.signature)) emitLoss('the signature of reasoning', deltas)
    return filled
  }
  deltas.push({ kind: 'opaque', key, payload: payloadOf(item as JsonObject, encrypted_content) })
  return withReceivedItem(filled, at, { sealed: encrypted_content })
}

/** A part of a finished item. */
interface Final {
  readonly of: PartRun['of']
  readonly text: string
  readonly logprobs: readonly Logprob[] | null
  readonly annotations: unknown
}

const isFinal = (final: Final | null): final is Final => final !== null

function finalOf(part: unknown, usual: string, deltas: Deltas): Final | null {
  const record: JsonRecord = isObject(part) ? part : { type: usual, text: part }
  const type = isNonEmptyString(record.type) ? record.type : usual
  const of = lookup<ContentKind>(PART_KINDS, type)
  if (of === undefined) {
    emitLoss(`content part ${type}`, deltas)
    return null
  }
  const text = wholeText(of === 'refusal' ? record.refusal : (record.text ?? record.transcript), deltas)
  if (isNonEmptyString(record.data)) emitLoss('audio', deltas)
  // A part of type `text` in a reasoning item is reasoning.
  const meant = of === 'text' && usual !== 'output_text' ? 'reasoning' : of
  return { of: meant, text, logprobs: toLogprobs(record.logprobs), annotations: record.annotations }
}

/** Reads parts, which are a list of parts or of strings, or one string. */
const partsOf = (parts: unknown, usual: string, deltas: Deltas): readonly Final[] =>
  (isNonEmptyString(parts) || isObject(parts) ? [parts] : toArray(parts))
    .map((part) => finalOf(part, usual, deltas))
    .filter(isFinal)

const fillParts = (
  progress: DecoderProgress,
  at: number,
  finals: readonly Final[],
  kinds: readonly PartRun['of'][],
  deltas: Deltas,
): DecoderProgress =>
  kinds.reduce(
    (now, of) =>
      fillRuns(
        now,
        at,
        of,
        finals.filter((final) => final.of === of),
        deltas,
      ),
    progress,
  )

const joined = (list: readonly { readonly text: string }[]): string => list.map(({ text }) => text).join('')

/** If the whole text was received, only citations may be new: some servers stream their text in other parts. */
function fillRuns(
  progress: DecoderProgress,
  at: number,
  of: PartRun['of'],
  finals: readonly Final[],
  deltas: Deltas,
): DecoderProgress {
  const runs = listToArray(receivedItemAt(progress, at).runs)
  const own = runs.flatMap((run, i) => (run.of === of ? [i] : []))
  const all = joined(finals) === joined(runs.filter((run) => run.of === of))
  // Texts that are divided into other parts than their final values are no longer held back.
  const ready = all || own.length !== finals.length ? settleItem(progress, at, deltas) : progress
  return finals.reduce((now, final, i) => {
    const last = own[Math.min(i, own.length - 1)]
    const run = own[i] ?? (all ? last : undefined)
    if (run !== undefined) return fillRun(now, at, run, final, all, deltas)
    const added = addRun(now, at, of, null)
    return fillRun(added.progress, at, added.run, final, false, deltas)
  }, ready)
}

/**
 * Emits the rest of a text. A text that differs from the emitted one is a loss, because deltas cannot be taken back.
 */
function fillRun(
  progress: DecoderProgress,
  at: number,
  run: number,
  final: Final,
  all: boolean,
  deltas: Deltas,
): DecoderProgress {
  const { of, text, held } = partRunOf(progress, at, run)
  if (held) {
    const settled = settleRun(progress, at, run, final.text, deltas)
    return isCall(of) ? settled : citeRest(settled, at, run, final.annotations, deltas)
  }
  const adds = !all && final.text.startsWith(text)
  const filled = adds ? emitMore(progress, at, run, final.text.slice(text.length), final.logprobs, deltas) : progress
  if (!all && !adds && final.text !== '') emitLoss(DIFFERENT, deltas)
  return isCall(of) ? filled : citeRest(filled, at, run, final.annotations, deltas)
}

// ---------------------------------------------------------------- parts

/**
 * A whole text counts only if none of its pieces came (LM Studio). Otherwise, the finished item adds what is missing.
 */
export function applyWhole(
  progress: DecoderProgress,
  event: JsonRecord,
  of: PartRun['of'],
  whole: unknown,
  logprobs: unknown,
  deltas: Deltas,
): DecoderProgress {
  const text = wholeText(whole, deltas)
  const placed = ensureRun(progress, event, of, false, text)
  const { item, run } = placed
  if (receivedItemAt(placed.progress, item).done) return progress
  const noted = withRun(placed.progress, item, run, { whole: true })
  const named = isCall(of) ? emitName(noted, item, event, deltas) : noted
  const received = partRunOf(named, item, run)
  // The finished item decides about a text, because this event and the item may differ.
  if (received.held) return isCall(of) ? settleRun(named, item, run, text, deltas) : named
  return received.text === '' ? emitMore(named, item, run, text, toLogprobs(logprobs), deltas) : named
}

export function applyPart(
  progress: DecoderProgress,
  event: JsonRecord,
  { edge, of: usual }: (typeof PARTS)[string],
  deltas: Deltas,
): DecoderProgress {
  const part: JsonRecord = isObject(event.part) ? event.part : {}
  const named = partKindOf(part, usual)
  if (named === undefined) return edge === 'added' ? countPart(progress, event, usual) : progress
  const of = kindInItem(progress, event, named)
  if (edge === 'added') return openPart(progress, event, of)
  const whole = of === 'refusal' ? part.refusal : (part.text ?? part.transcript)
  const applied = applyWhole(progress, event, of, whole, part.logprobs, deltas)
  const { progress: placed, item, run } = ensureRun(applied, event, of, false, wholeText(whole, deltas))
  if (receivedItemAt(placed, item).done) return progress
  return withRun(citeRest(placed, item, run, part.annotations, deltas), item, run, { done: true })
}

/** Counts a part of an unknown type, so that later ones keep their places. */
function countPart(progress: DecoderProgress, event: JsonRecord, usual: ContentKind): DecoderProgress {
  const types = usual === 'text' ? ['message', 'reasoning'] : ['reasoning']
  const found = types.map((type) => findItem(progress, event, event.item_id, type, true))
  const item = found.find((at) => at >= 0) ?? -1
  if (item < 0) return progress
  const { shown } = receivedItemAt(progress, item)
  const list = listOfPart(usual)
  return withReceivedItem(progress, item, { shown: { ...shown, [list]: shown[list] + 1 } })
}

/** Opens a part that the upstream announces. */
function openPart(progress: DecoderProgress, event: JsonRecord, of: ContentKind): DecoderProgress {
  const { progress: placed, item } = ensureReceivedItem(progress, event, ITEM_OF[of], true)
  const index = innerIndex(event, of)
  const known = lastOpenOf(receivedItemAt(placed, item).positions, runName(of, index))
  return known < 0 ? addRun(placed, item, of, index).progress : placed
}

export function applyAnnotation(progress: DecoderProgress, event: JsonRecord, deltas: Deltas): DecoderProgress {
  const placed = ensureReceivedItem(progress, event, 'message', false)
  const found = findRun(receivedItemAt(placed.progress, placed.item), 'text', innerIndex(event, 'text'), false)
  if (found >= 0) return citeOnce(placed.progress, placed.item, found, event, deltas)
  const { progress: ready, item, run } = ensureRun(placed.progress, event, 'text', false)
  return citeOnce(ready, item, run, event, deltas)
}

const isProgress = (name: string): name is ProgressName => Object.hasOwn(PROGRESS_EVENTS, name)

/** Emits an event of an item that the upstream runs itself; returns false for events of another type. */
export function emitProgress(progress: DecoderProgress, event: JsonRecord, type: string, deltas: Deltas): boolean {
  const name = type.startsWith('response.') ? type.slice('response.'.length) : ''
  if (!isProgress(name)) return false
  const { of } = PROGRESS_EVENTS[name]
  const at = findItem(progress, event, event.item_id, of, true)
  const item = at < 0 ? null : receivedItemAt(progress, at)
  if (item === null || item.hosted !== of) {
    emitLoss(`${name} outside its item`, deltas)
    return true
  }
  if (isDeeperThan(MAX_LENGTHS.nesting, event)) {
    emitLoss('a field that is nested too deeply', deltas)
    return true
  }
  const fields = progressFields(event) as JsonObject
  // Clients require the index of a command of a shell.
  const index = name.startsWith('shell_call') ? { command_index: toIndex(event.command_index) ?? 0 } : {}
  deltas.push({ kind: 'progress', key: item.key, name, fields: { ...fields, ...index } })
  return true
}

// ---------------------------------------------------------------- items that the upstream runs

/** The members whose pieces have events of their own. */
const HOSTED_TEXTS: Readonly<Record<string, readonly [of: HostedItemType, member: string]>> = {
  'response.code_interpreter_call_code.delta': ['code_interpreter_call', 'code'],
  'response.code_interpreter_call_code.done': ['code_interpreter_call', 'code'],
  'response.mcp_call_arguments.delta': ['mcp_call', 'arguments'],
  'response.mcp_call_arguments.done': ['mcp_call', 'arguments'],
}

/** Adds a piece, or the whole text, to the announced item, as a client has it. */
export function withHostedText(progress: DecoderProgress, event: JsonRecord, type: string): DecoderProgress {
  const found = lookup(HOSTED_TEXTS, type)
  if (found === undefined) return progress
  const [of, member] = found
  const at = findItem(progress, event, event.item_id, of, true)
  const item = at < 0 ? null : receivedItemAt(progress, at).item
  const { delta, [member]: whole } = event
  if (item === null || !(isNonEmptyString(whole) || isNonEmptyString(delta))) return progress
  const text = isNonEmptyString(whole) ? whole : appendFlat(scalarToString(item[member]), String(delta))
  return withReceivedItem(progress, at, { item: { ...item, [member]: text } })
}

/**
 * Returns the type of an item that the upstream runs itself; null for any other item. xAI reports its own searches as
 * custom calls, which clients must not answer.
 */
function hostedType(item: JsonRecord, { runsCustomCalls }: Quirks): HostedItem['type'] | null {
  const { type, call_id } = item
  if (type === 'custom_tool_call') {
    const own = runsCustomCalls === true || (isNonEmptyString(call_id) && call_id.startsWith('xs_call_'))
    return own ? 'web_search_call' : null
  }
  return isNonEmptyString(type) ? (lookup(HOSTED, type) ?? null) : null
}

const URL_FIELDS = ['url', 'video_url', 'image_url'] as const

/** Returns the action of a search that has it as the arguments of a call (xAI). */
function actionOf({ arguments: args, input }: JsonRecord): JsonObject | null {
  const text = isNonEmptyString(args) ? args : isNonEmptyString(input) ? input : null
  if (text === null) return null
  const parsed = parseJson(text)
  const record: JsonRecord = isObject(parsed) ? parsed : {}
  if (isNonEmptyString(record.query)) return { type: 'search', query: record.query }
  const url = URL_FIELDS.map((field) => record[field]).find(isNonEmptyString)
  return url === undefined ? { type: 'search', query: text } : { type: 'open_page', url }
}

function fieldsOf(type: HostedItem['type'], item: JsonRecord): JsonObject {
  const { type: _, id, status, ...fields } = item as JsonObject
  if (type === 'image_generation_call' && isNonEmptyString(fields.result))
    return { ...fields, ...(imageFields(fields.result) ?? { result: null }) }
  if (type !== 'web_search_call' || isObject(fields.action)) return fields
  const action = actionOf(item)
  // No field of a custom call is kept, so that no client takes the item for a call.
  const rest = item.type === 'custom_tool_call' ? {} : fields
  return action === null ? rest : { ...rest, action }
}

/** Converts a whole item, under the type that it is emitted with. */
function toHosted(type: HostedItem['type'], item: JsonRecord): HostedItem {
  const { id, status } = item
  return {
    type,
    id: isNonEmptyString(id) ? id : '',
    status: isNonEmptyString(status) ? status : 'in_progress',
    fields: fieldsOf(type, item),
  }
}
