import { listToArray } from '../../../collections/list.ts'
import type { Delta, FinishReason } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { toServiceTier } from '../../../protocol/served.ts'
import {
  cacheWrites,
  firstCount,
  hasCountsOfAnthropic,
  readTokens,
  type Usage,
  usageDetails,
  withCachedInput,
} from '../../../protocol/usage.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { emitWrongKind, readObjects } from '../../shared/upstream/answers/answer-values.ts'
import { finishReasonOf, shortWord } from '../../shared/upstream/answers/finish-reasons.ts'
import { type Deltas, emitLoss, emitWords } from '../../shared/upstream/deltas.ts'
import { readCost } from '../../shared/upstream/read-cost.ts'
import { upstreamErrorOf } from '../errors.ts'
import { INCOMPLETE_REASONS, STATUSES, type TerminalKind, terminalOf } from '../terms.ts'
import { finishItem, openItem } from './items.ts'
import { type DecoderProgress, type ReceivedItem, receivedItemAt, toIndex } from './state.ts'

export const errorDelta = (error: unknown): Delta => ({ kind: 'error', error: upstreamErrorOf(error) })

/** Applies the finished response: content that no event had, the usage, and how the response ended. */
export function applyEnd(
  progress: DecoderProgress,
  response: JsonRecord,
  event: TerminalKind,
  deltas: Deltas,
  quirks: Quirks,
): DecoderProgress {
  const listed = readObjects(response.output, 'output', deltas)
  const complete = addOutputText(applyListed(progress, listed, deltas, quirks), response.output_text, deltas, quirks)
  const usage = toUsage(response.usage, response.tool_usage)
  if (usage !== null) deltas.push({ kind: 'usage', usage })
  else emitWrongKind('usage', response.usage, deltas)
  const service_tier = toServiceTier(response.service_tier)
  if (service_tier !== null) deltas.push({ kind: 'served', served: { service_tier } })
  emitUncountedImages(response, deltas)
  emitEnding(endingOf(response, event, complete), response, deltas)
  return complete
}

/** Counts of a response that no event has. */
function emitUncountedImages(response: JsonRecord, deltas: Deltas): void {
  const { tool_usage: tools } = response
  const images = isObject(tools) ? tools.image_gen : null
  if (isObject(images) && (toIndex(images.total_tokens) ?? 0) > 0) emitLoss('usage.image_generation', deltas)
}

const isMessage = ({ type, runs }: ReceivedItem): boolean =>
  type === 'message' && listToArray(runs).some(({ text }) => text !== '')

/** OpenAI's libraries add the field `output_text` with all text; some servers write only that field. */
function addOutputText(progress: DecoderProgress, text: unknown, deltas: Deltas, quirks: Quirks): DecoderProgress {
  if (!isNonEmptyString(text) || listToArray(progress.items).some(isMessage)) return progress
  const message = { type: 'message', content: text }
  return finishItem(openItem(progress, null, message, quirks), progress.items.length, message, deltas)
}

/** A response without a known status has ended if it has a failure or items. */
function endingOf(response: JsonRecord, event: TerminalKind, { items }: DecoderProgress): TerminalKind {
  const ending = terminalOf(response, event)
  const isKnown = isNonEmptyString(response.status) && lookup(STATUSES, response.status) !== undefined
  if (event !== 'open' || isKnown) return ending
  if (response.error) return 'failed'
  return items.length > 0 ? 'completed' : 'open'
}

function emitEnding(ending: TerminalKind, response: JsonRecord, deltas: Deltas): void {
  const { status } = response
  const details = isObject(response.incomplete_details) ? response.incomplete_details.reason : undefined
  emitWords({ finishReason: details ?? status }, deltas)
  if (isNonEmptyString(status) && lookup(STATUSES, status) === undefined)
    emitLoss(`status ${shortWord(status)}`, deltas)
  switch (ending) {
    case 'completed':
      deltas.push({ kind: 'finish', reason: 'stop' })
      break
    case 'incomplete':
      deltas.push({ kind: 'finish', reason: incompleteReasonOf(response, deltas) })
      break
    case 'failed':
      deltas.push(errorDelta(failureOf(response)))
      break
    case 'open':
      break
  }
}

/** OpenRouter has the type of the failure beside the failure. */
function failureOf({ error, error_type, status }: JsonRecord): unknown {
  const failure = error ?? {
    message: `the response of the upstream has the status ${scalarToString(status) || 'failed'}`,
  }
  return isObject(failure) && isNonEmptyString(error_type) ? { error_type, ...failure } : failure
}

function incompleteReasonOf({ incomplete_details: details }: JsonRecord, deltas: Deltas): FinishReason {
  const word = isObject(details) && isNonEmptyString(details.reason) ? details.reason : null
  const reason = word === null ? null : finishReasonOf(INCOMPLETE_REASONS, word)
  if (reason === 'max_output_tokens' || reason === 'content_filter') return reason
  if (word !== null) emitLoss(`incomplete_details.reason ${shortWord(word)}`, deltas)
  return 'max_output_tokens'
}

/**
 * The list at the end may be empty (ChatGPT's backend), incomplete, or have other ids (GitHub Copilot). Each listed
 * item matches the received item of its id, of its call's or of its encrypted content, else the next one of its type.
 * Only items without a match are new.
 */
function applyListed(
  progress: DecoderProgress,
  listed: readonly JsonRecord[],
  deltas: Deltas,
  quirks: Quirks,
): DecoderProgress {
  const received = pairItems(listToArray(progress.items), listed)
  return listed.reduce<DecoderProgress>((now, item, i) => {
    const at = received[i] ?? -1
    if (at >= 0) return isSettled(receivedItemAt(now, at)) ? now : finishItem(now, at, item, deltas)
    return finishItem(openItem(now, null, item, quirks), now.items.length, item, deltas)
  }, progress)
}

/** Whether an item is done and has content. Such an item is not emitted again. */
const isSettled = ({ done, hosted, named, sealed, runs }: ReceivedItem): boolean =>
  done && (hosted !== null || named || sealed !== '' || listToArray(runs).some(({ text }) => text !== ''))

/** Items in their order, each of which is taken once. */
interface Taker {
  /** Takes the first item of that name that was not taken; -1 if there is none. */
  take(name: string): number
}

const named = (...words: readonly string[]): string => JSON.stringify(words)

/** O(n) for all items together, under any of their names. */
function createTaker(items: readonly ReceivedItem[]): Taker {
  const queues = new Map<string, { readonly positions: number[]; next: number }>()
  const taken = new Set<number>()
  const add = (name: string, at: number): void => {
    const queue = queues.get(name)
    if (queue === undefined) queues.set(name, { positions: [at], next: 0 })
    else queue.positions.push(at)
  }
  // The list may have the ids under which items ended. Another item may have begun under one of them.
  items.forEach(({ id, type, item }, at) => {
    if (item?.id === id) add(named(type, id), at)
  })
  items.forEach(({ callId, type, item, sealed }, at) => {
    if (isNonEmptyString(item?.id)) add(named(type, item.id), at)
    if (callId !== '') add(named(type, '', callId), at)
    if (sealed !== '') add(named(type, '', '', sealed), at)
    add(named(type), at)
  })
  items.forEach(({ id, type }, at) => {
    add(named(type, id), at)
  })
  return {
    take(name) {
      const queue = queues.get(name)
      while (queue !== undefined && queue.next < queue.positions.length) {
        const at = queue.positions[queue.next] as number
        queue.next += 1
        if (taken.has(at)) continue
        taken.add(at)
        return at
      }
      return -1
    },
  }
}

/** Returns the index of the received item for each listed item; -1 if there is none. */
export function pairItems(items: readonly ReceivedItem[], listed: readonly JsonRecord[]): readonly number[] {
  const taker = createTaker(items)
  const byId = listed.map(({ id, type, call_id, encrypted_content: sealed }) => {
    if (!isNonEmptyString(type)) return -1
    const names = [
      isNonEmptyString(id) ? named(type, id) : null,
      isNonEmptyString(call_id) ? named(type, '', call_id) : null,
      isNonEmptyString(sealed) ? named(type, '', '', sealed) : null,
    ]
    return names.reduce((at, name) => (at < 0 && name !== null ? taker.take(name) : at), -1)
  })
  return listed.map(({ type }, i) => {
    const at = byId[i] ?? -1
    return at < 0 && isNonEmptyString(type) ? taker.take(named(type)) : at
  })
}

const inner = (record: JsonRecord, key: string): JsonRecord => {
  const value = record[key]
  return isObject(value) ? value : {}
}

/**
 * Returns the totals, which are inclusive already; null if there are none (a failed response). Some servers keep the names
 * of chat completions. OpenAI counts its own searches in `tool_usage` of the response (`tools`), OpenRouter in the usage.
 */
export function toUsage(usage: unknown, tools: unknown = null): Usage | null {
  if (!isObject(usage)) return null
  const input = { ...inner(usage, 'prompt_tokens_details'), ...inner(usage, 'input_tokens_details') }
  const output = { ...inner(usage, 'completion_tokens_details'), ...inner(usage, 'output_tokens_details') }
  const own = inner(usage, 'server_tool_use_details')
  const searches = isObject(tools) ? inner(tools, 'web_search').num_requests : null
  const written = inner(input, 'cache_write_tokens_details')
  const counts: Usage = {
    input_tokens: firstCount(usage.input_tokens, usage.prompt_tokens),
    output_tokens: firstCount(usage.output_tokens, usage.completion_tokens),
    total_tokens: readTokens(usage.total_tokens),
    cached_tokens: readTokens(input.cached_tokens),
    reasoning_tokens: readTokens(output.reasoning_tokens),
    ...cacheWrites(readTokens(input.cache_write_tokens), {
      '30m': readTokens(written.ttl_30m_tokens),
      '12h': readTokens(written.ttl_12h_tokens),
    }),
    ...readCost(usage),
    ...usageDetails({
      web_search_requests: own.web_search_requests ?? searches,
      tool_calls_requested: own.tool_calls_requested,
      tool_calls_executed: own.tool_calls_executed,
    }),
  }
  return hasCountsOfAnthropic(usage, input.cache_write_tokens) ? withCachedInput(counts) : counts
}
