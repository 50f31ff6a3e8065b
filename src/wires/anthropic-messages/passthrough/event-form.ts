import { mapGet, mapValues } from '../../../collections/sorted-map.ts'
import type { Frame } from '../../../framing/frame.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { EditAnswer, StreamEvent } from '../../passthrough-contract.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { blockOfInput } from '../upstream/block-deltas.ts'
import {
  type Block,
  type Calls,
  findBlock,
  isTextBlock,
  type MessagesState,
  openBlocks,
  repeatsStart,
  withCallOf,
} from '../upstream/state.ts'
import type { TokenCounts } from '../upstream/usage.ts'

/** The events of a stream as Anthropic's libraries require them. */

type MessageEvent = StreamEvent<MessagesState>

/** The libraries append each block to a list, find it by its index, and add its deltas to the members of its start. */
export function readableEvent(event: JsonObject, states: MessageEvent): JsonObject | null {
  const form = lookup(FORMS, scalarToString(event.type))
  return form === undefined ? event : form(event, states)
}

const FORMS: Readonly<Record<string, (event: JsonObject, states: MessageEvent) => JsonObject | null>> = {
  message_start: (event, { before, after: { progress } }) => {
    if (!isObject(event.message)) return event
    // A client reads one message, also of a proxy that has tried again, which leaves a block open.
    if (before.progress.started) return repeatsStart(before, event.message) ? null : stopOfOpen(before)
    const counted = withUsage(event.message as JsonObject, progress.counts, ['input', 'output'])
    return withMember(event, 'message', withBlocks(counted))
  },
  content_block_start: (event, { before, after }) =>
    after.progress.starts > before.progress.starts
      ? withIndex(withMember(event, 'content_block', withText(event.content_block)), before.progress.starts)
      : null,
  content_block_delta: atDelta,
  content_block_stop: atBlock,
  message_delta: (event, { after: { progress } }) => {
    const counted = withUsage(event, progress.counts, ['output'])
    const delta = withStop(event.delta, progress.stop)
    return withMember(counted, 'delta', stopOfCalls(delta, progress.calls, progress.blockCount > 0))
  },
}

/** The libraries append the blocks to this list. */
function withBlocks(message: JsonObject): JsonObject {
  const { content } = message
  if (Array.isArray(content)) return message
  return withMember(message, 'content', isNonEmptyString(content) ? [{ type: 'text', text: content }] : [])
}

const NO_STOP: JsonObject = { stop_reason: null, stop_sequence: null }

/** The libraries take the reason of the last event, which may have usage alone. */
function withStop(delta: Json | undefined, stop: JsonObject | null): JsonObject {
  if (!isObject(delta)) return stop ?? NO_STOP
  const given = delta as JsonObject
  return stop === null || isNonEmptyString(given.stop_reason) ? given : { ...given, ...stop }
}

const stopOf = (index: number): JsonObject => ({ type: 'content_block_stop', index })

/** The stop of the block that began last, of those that are open. */
function stopOfOpen({ progress }: MessagesState): JsonObject | null {
  const [last] = mapValues(progress.blocks).sort((a, b) => b.order - a.order)
  const index = last?.place ?? null
  return index === null ? null : stopOf(index)
}

const withIndex = (event: JsonObject, index: number | null): JsonObject =>
  index === null ? event : withMember(event, 'index', index)

/** Some servers leave out or repeat indices, so that a library would find no block, or another one. */
function atBlock(event: JsonObject, { before }: MessageEvent): JsonObject {
  return withIndex(event, placeIn(before, event))
}

const placeIn = ({ progress }: MessagesState, event: { readonly index?: unknown }): number | null =>
  mapGet(progress.blocks, scalarToString(event.index))?.place ?? null

/** The libraries fail at a delta before any block: one that begins none, such as an empty text, has no effect. */
function atDelta(event: JsonObject, { before, after }: MessageEvent): JsonObject | null {
  const { delta } = event
  const index = scalarToString(event.index)
  if (after.progress.starts === 0 || !isObject(delta)) return null
  const call = delta.type === 'input_json_delta' ? blockOfInput(before, index) : undefined
  const once = withoutGiven(withPiece(delta as JsonObject), findBlock(before, index))
  return withIndex(withMember(event, 'delta', once), placeIn(after, call ?? event))
}

/** The member of each delta whose text the libraries append, and another name of it. */
const PIECES: Readonly<Record<string, readonly [name: string, other?: string]>> = {
  text_delta: ['text'],
  thinking_delta: ['thinking', 'reasoning'],
  input_json_delta: ['partial_json'],
}

/** Servers in Go leave out an empty piece, such as the first one of each call. */
function withPiece(delta: JsonObject): JsonObject {
  const [name, other = ''] = lookup(PIECES, scalarToString(delta.type)) ?? []
  return name === undefined ? delta : withMember(delta, name, delta[name] ?? delta[other] ?? '')
}

/** A delta that repeats the text in the start of its block becomes empty, as the next one may be the same again. */
function withoutGiven(delta: JsonObject, block: Block | undefined): JsonObject {
  const given = isTextBlock(block) ? block.given : ''
  const name = given === '' ? undefined : ['text', 'thinking', 'reasoning'].find((one) => delta[one] === given)
  return name === undefined ? delta : withMember(delta, name, '')
}

/** The events that the libraries need before one, and that some proxies leave out. */
export function omittedEvents(event: JsonObject, states: MessageEvent): readonly JsonObject[] {
  return event.type === 'content_block_delta' ? omittedStart(event, states) : lateInputs(event, states)
}

/** The inputs of the calls that an event ends, if only a repetition of their start had them, as deltas. */
function lateInputs(event: JsonObject, { before, after }: MessageEvent): readonly JsonObject[] {
  if (before.progress.blocks === after.progress.blocks) return NONE
  return endedBy(event, before).flatMap((block) => {
    if (block?.kind !== 'call' || !block.isLate || block.emitted) return NONE
    const now = findBlock(after, block.index)
    if (now?.kind === 'call' && now.key === block.key) return NONE
    const delta = { type: 'input_json_delta', partial_json: block.input }
    return [withIndex({ type: 'content_block_delta', delta }, placeIn(before, block))]
  })
}

/** The blocks that an event may end: the one of its index, or all at the end of the message. */
function endedBy({ type, index }: JsonObject, state: MessagesState): readonly (Block | undefined)[] {
  if (type === 'message_delta' || type === 'message_stop') return openBlocks(state)
  return type === 'content_block_start' || type === 'content_block_stop'
    ? [findBlock(state, scalarToString(index))]
    : []
}

/** The start of a block, without which the libraries find none for its deltas, and the stop of the block before it. */
function omittedStart(event: JsonObject, { before, after }: MessageEvent): readonly JsonObject[] {
  if (after.progress.starts === before.progress.starts) return NONE
  const index = placeIn(after, event)
  const kind = findBlock(after, scalarToString(event.index))?.kind
  const content_block: JsonObject | null = kind === 'text' ? NEW_TEXT : kind === 'thought' ? NEW_THINKING : null
  if (index === null || content_block === null) return NONE
  const open = placeIn(before, event)
  const stop = open === null ? NONE : [stopOf(open)]
  return [...stop, { type: 'content_block_start', index, content_block }]
}

const NONE: readonly JsonObject[] = []
const NEW_TEXT: JsonObject = { type: 'text', text: '' }
const NEW_THINKING: JsonObject = { type: 'thinking', thinking: '', signature: '' }

/** Some upstreams leave out the event with the reason why the message stops. */
export function omittedStop({ progress }: MessagesState): readonly Frame[] {
  if (progress.finish !== null) return []
  const delta = { stop_reason: progress.calls === 'none' ? 'end_turn' : 'tool_use', stop_sequence: null }
  const value = { type: 'message_delta', delta, usage: { output_tokens: progress.counts?.output ?? 0 } }
  return [{ event: value.type, data: '', value }]
}

/** The members of a new block to which deltas are added. */
const TEXTS: Readonly<Record<string, readonly [name: string, empty: Json]>> = {
  text: ['text', ''],
  thinking: ['thinking', ''],
  tool_use: ['input', {}],
}

function withText(block: Json | undefined): Json | undefined {
  if (!isObject(block)) return block
  const found = lookup(TEXTS, scalarToString(block.type))
  if (found === undefined) return block as Json
  const [name, empty] = found
  return withMember(block as JsonObject, name, (block[name] as Json | undefined) ?? empty)
}

/** The libraries calculate with these counts. */
function withUsage(holder: JsonObject, counts: TokenCounts | null, names: readonly ('input' | 'output')[]): JsonObject {
  const usage = isObject(holder.usage) ? (holder.usage as JsonObject) : {}
  const counted = names.reduce<JsonObject>(
    (now, name) =>
      typeof now[`${name}_tokens`] === 'number' ? now : withMember(now, `${name}_tokens`, counts?.[name] ?? 0),
    usage,
  )
  return withMember(holder, 'usage', counted)
}

/**
 * Agents run calls only after the reason `tool_use`, and wait for a call after it. Some servers mix up the reasons. Calls of
 * code do not end a turn: an answer may go on after them.
 */
function stopOfCalls(message: JsonObject, calls: Calls, hasBlocks: boolean): JsonObject {
  const { stop_reason: reason } = message
  if (calls === 'direct' && reason === 'end_turn') return withMember(message, 'stop_reason', 'tool_use')
  return calls === 'none' && hasBlocks && reason === 'tool_use'
    ? withMember(message, 'stop_reason', 'end_turn')
    : message
}

/** The same for a body, which is a message. */
export const stopOfBody: EditAnswer = (value) => {
  const { content } = value
  if (!Array.isArray(content)) return value
  const calls = content.reduce<Calls>(
    (now, block) => (isObject(block) && block.type === 'tool_use' ? withCallOf(now, block) : now),
    'none',
  )
  return stopOfCalls(value, calls, content.length > 0)
}
