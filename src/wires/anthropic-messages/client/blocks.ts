import { appendText, NO_TEXT } from '../../../collections/block-text.ts'
import { EMPTY_LIST, listAppend } from '../../../collections/list.ts'
import type { CallDelta, CitationDelta, ContentDelta } from '../../../protocol/delta.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { toStreamedArguments } from '../../../responses/call-arguments.ts'
import { appendFlat, BLOCK } from '../../../text/flat-string.ts'
import { formatJson, isNonEmptyString, isObject } from '../../../text/json.ts'
import type { EncodeContext } from '../../client-contract.ts'
import { PART_BORDER } from '../../shared/client/part-border.ts'
import { UNSIGNED } from '../encrypted-blocks.ts'
import type { BlockDelta, MessagesEvent } from '../json.ts'
import { toCited } from './citations.ts'
import { startEvent } from './message-end.ts'
import { NO_CITED, toResults, withCited } from './search-results.ts'
import { hostedBlocks } from './server-tools.ts'
import { type EncoderState, type Open, updateEncoder } from './state.ts'

/** The events that one delta produces. */
export type MessageEvents = MessagesEvent[]

export const pieceEvent = ({ progress }: EncoderState, delta: BlockDelta): MessagesEvent => ({
  type: 'content_block_delta',
  index: progress.index,
  delta,
})

function writeJson(state: EncoderState, partial_json: string, events: MessageEvents): void {
  events.push(pieceEvent(state, { type: 'input_json_delta', partial_json }))
}

export function begin(state: EncoderState, { id }: EncodeContext, events: MessageEvents): EncoderState {
  if (state.progress.started) return state
  events.push(startEvent(id, state.progress))
  return updateEncoder(state, { started: true })
}

// ---------------------------------------------------------------- opening and closing

type Opening = Pick<Open, 'kind' | 'key'> & Partial<Open>

const opened = (state: EncoderState, opening: Opening): EncoderState => ({
  text: '',
  progress: { ...state.progress, open: { part: '', full: false, hosted: null, ...opening } },
})

/** Opens a new block after closing the one before it. */
function openBlock(
  state: EncoderState,
  opening: Opening,
  content_block: JsonObject,
  context: EncodeContext,
  events: MessageEvents,
) {
  const ready = closeOpen(begin(state, context, events), context, events)
  events.push({ type: 'content_block_start', index: ready.progress.index, content_block })
  return opened(ready, opening)
}

function stopBlock(state: EncoderState, events: MessageEvents): EncoderState {
  const { index } = state.progress
  events.push({ type: 'content_block_stop', index })
  return { text: '', progress: { ...state.progress, index: index + 1, open: null } }
}

/** Writes the remaining events of the open item and closes its block. */
export function closeOpen(state: EncoderState, context: EncodeContext, events: MessageEvents): EncoderState {
  const { open } = state.progress
  switch (open?.kind) {
    case undefined:
      return state
    case 'hosted':
      return writeHosted(updateEncoder(state, { open: null }), open, context, events)
    case 'thinking':
      events.push(pieceEvent(state, { type: 'signature_delta', signature: UNSIGNED }))
      return stopBlock(state, events)
    case 'custom':
      writeJson(state, '"}', events)
      return stopBlock(state, events)
    case 'held':
      if (state.text !== '') writeJson(state, formatJson(toStreamedArguments(state.text)), events)
      return stopBlock(state, events)
    default:
      return stopBlock(state, events)
  }
}

// ---------------------------------------------------------------- text and its citations

/** Adds a piece to the open text. Most of a long text is kept in blocks (`before`), and only its end is in `text`. */
export function withPiece({ text, progress }: EncoderState, piece: string): EncoderState {
  if (text.length < BLOCK) return { text: appendFlat(text, piece), progress }
  return { text: piece, progress: { ...progress, before: appendText(progress.before, text) } }
}

export function writeText(
  state: EncoderState,
  delta: ContentDelta,
  context: EncodeContext,
  events: MessageEvents,
): EncoderState {
  const { key, part, text } = delta
  if (text === '') return state
  const { open } = state.progress
  const same = open?.kind === 'text' && open.key === key && open.part === part
  const openText = same ? state.text : ''
  const before = same ? state.progress.before : NO_TEXT
  const ready =
    same && !open.full
      ? state
      : openBlock(state, { kind: 'text', key, part }, { type: 'text', text: '' }, context, events)
  events.push(pieceEvent(ready, { type: 'text_delta', text }))
  const { progress } = ready
  return withPiece({ text: openText, progress: progress.before === before ? progress : { ...progress, before } }, text)
}

export function markFull(state: EncoderState, key: string): EncoderState {
  const { open } = state.progress
  return open?.kind === 'text' && open.key === key && !open.full
    ? updateEncoder(state, { open: { ...open, full: true } })
    : state
}

export function writeCitation(state: EncoderState, delta: CitationDelta, events: MessageEvents): EncoderState {
  const { open, pending, cited } = state.progress
  const known = pending.length === 0 ? state : updateEncoder(state, { cited: withCited(cited, delta) })
  if (open?.kind !== 'text' || open.key !== delta.key) return known
  const before = appendText(known.progress.before, state.text)
  events.push(pieceEvent(known, { type: 'citations_delta', citation: toCited(delta.citation, before) }))
  return markFull({ text: '', progress: { ...known.progress, before } }, delta.key)
}

// ---------------------------------------------------------------- reasoning

const THINKING: JsonObject = { type: 'thinking', thinking: '', signature: '' }

/** All parts of a reasoning item share one block, because one signature covers all of them. */
export function writeReasoning(
  state: EncoderState,
  delta: ContentDelta,
  context: EncodeContext,
  events: MessageEvents,
): EncoderState {
  const { kind, key, text } = delta
  if (text === '') return state
  const part = `${kind} ${delta.part}`
  const { open } = state.progress
  if (open?.kind !== 'thinking' || open.key !== key) {
    const ready = openBlock(state, { kind: 'thinking', key, part }, THINKING, context, events)
    return appendReasoning(ready, text, events)
  }
  if (open.part === part) return appendReasoning(state, text, events)
  return appendReasoning(updateEncoder(state, { open: { ...open, part } }), PART_BORDER + text, events)
}

function appendReasoning(state: EncoderState, text: string, events: MessageEvents): EncoderState {
  events.push(pieceEvent(state, { type: 'thinking_delta', thinking: text }))
  return { text: appendFlat(state.text, text), progress: state.progress }
}

/** Returns a field of an encrypted payload that this wire's own vendor issued; null for any other payload. */
const fieldOf = (payload: Json | undefined, type: string, field: string): string | null => {
  const value = isObject(payload) && payload.type === type ? payload[field] : null
  return isNonEmptyString(value) ? value : null
}

/**
 * Ends a reasoning item with its encrypted content. The vendor's own signature is written if it belongs to exactly this
 * text. Any other content is written in its envelope, and clients return it in that envelope.
 */
export function writeSeal(
  state: EncoderState,
  key: string,
  sealed: string,
  context: EncodeContext,
  events: MessageEvents,
): EncoderState {
  const { open } = state.progress
  const thinks = open?.kind === 'thinking' && open.key === key
  const payload = context.open(sealed)
  const data = fieldOf(payload, 'redacted_thinking', 'data')
  if (data !== null && !thinks) {
    return stopBlock(
      openBlock(state, { kind: 'thinking', key }, { type: 'redacted_thinking', data }, context, events),
      events,
    )
  }
  const ready = thinks ? state : openBlock(state, { kind: 'thinking', key }, THINKING, context, events)
  const own = isObject(payload) && payload.thinking === ready.text ? fieldOf(payload, 'thinking', 'signature') : null
  events.push(pieceEvent(ready, { type: 'signature_delta', signature: own ?? context.seal(sealed) }))
  return stopBlock(ready, events)
}

// ---------------------------------------------------------------- calls

/** A custom tool is called with one string argument, so the pieces of its input are pieces of a JSON string. */
const inString = (text: string): string => JSON.stringify(text).slice(1, -1)

export function writeCall(
  state: EncoderState,
  delta: CallDelta,
  context: EncodeContext,
  events: MessageEvents,
): EncoderState {
  const { key, name } = delta
  const { open } = state.progress
  const isOpen = open !== null && CALLS.has(open.kind) && open.key === key
  if (!isOpen && name === null) return state
  return writeArguments(isOpen ? state : openCall(state, delta, context, events), delta.arguments, events)
}

const CALLS: ReadonlySet<Open['kind']> = new Set(['held', 'call', 'custom'])

function openCall(
  state: EncoderState,
  { key, type, callId, name, namespace }: CallDelta,
  context: EncodeContext,
  events: MessageEvents,
): EncoderState {
  const kind = type === 'function_call' ? 'held' : 'custom'
  const toolset = namespace === undefined ? {} : { toolset_name: namespace }
  const block = { type: 'tool_use', id: callId ?? '', name: name ?? '', input: {}, ...toolset }
  const settled = settleSearches(closeOpen(state, context, events), context, events)
  const ready = updateEncoder(openBlock(settled, { kind, key }, block, context, events), { called: true })
  writeJson(ready, kind === 'held' ? '' : '{"input":"', events)
  return ready
}

function writeArguments(state: EncoderState, text: string, events: MessageEvents): EncoderState {
  const { open } = state.progress
  if (text === '') return state
  if (open?.kind === 'held') return beginArguments(state, open, text, events)
  writeJson(state, open?.kind === 'custom' ? inString(text) : text, events)
  return state
}

/**
 * The first character tells whether arguments may be an object. Others are held until they end, because clients parse
 * the pieces of an input, and need an object.
 */
function beginArguments(state: EncoderState, open: Open, piece: string, events: MessageEvents): EncoderState {
  if (state.text !== '') return { text: appendFlat(state.text, piece), progress: state.progress }
  const text = piece.trimStart()
  if (!text.startsWith('{')) return { text, progress: state.progress }
  writeJson(state, text, events)
  return updateEncoder(state, { open: { ...open, kind: 'call' } })
}

// ---------------------------------------------------------------- hosted tools

/** Keeps the latest version of a hosted item, which is written when the item ends. */
export function keepHosted(
  state: EncoderState,
  key: string,
  hosted: Open['hosted'],
  context: EncodeContext,
  events: MessageEvents,
) {
  const { open } = state.progress
  if (open?.kind === 'hosted' && open.key === key) return updateEncoder(state, { open: { ...open, hosted } })
  return opened(closeOpen(begin(state, context, events), context, events), { kind: 'hosted', key, hosted })
}

function writeHosted(
  state: EncoderState,
  { key, hosted }: Open,
  context: EncodeContext,
  events: MessageEvents,
): EncoderState {
  const { blocks, pending } = hosted === null ? { blocks: [], pending: null } : hostedBlocks(hosted, context.open)
  const searches = blocks.filter(({ type, name }) => type === 'server_tool_use' && name === 'web_search').length
  const next = blocks.reduce<EncoderState>((now, block) => writeWhole(now, key, block, context, events), state)
  if (searches === 0) return next
  const { progress } = next
  return updateEncoder(next, {
    searches: progress.searches + searches,
    pending: pending === null ? progress.pending : listAppend(progress.pending, pending),
  })
}

/** Writes the results of searches that waited for the titles of their pages, one block for each search. */
export function settleSearches(state: EncoderState, context: EncodeContext, events: MessageEvents): EncoderState {
  const { pending, cited } = state.progress
  if (pending.length === 0) return state
  const settled = updateEncoder(state, { pending: EMPTY_LIST, cited: NO_CITED })
  return toResults(pending, cited).reduce<EncoderState>(
    (now, block) => writeWhole(now, `${block.tool_use_id}`, block, context, events),
    settled,
  )
}

/** Writes a block that is complete. Fields that a stream sends as deltas are written as deltas. */
function writeWhole(
  state: EncoderState,
  key: string,
  block: JsonObject,
  context: EncodeContext,
  events: MessageEvents,
): EncoderState {
  const { type, input, content } = block
  const opening: Opening = { kind: 'call', key }
  if (type === 'server_tool_use' || type === 'mcp_tool_use') {
    const ready = openBlock(state, opening, { ...block, input: {} }, context, events)
    for (const partial_json of ['', formatJson(input)])
      events.push(pieceEvent(ready, { type: 'input_json_delta', partial_json }))
    return stopBlock(ready, events)
  }
  if (type === 'compaction') {
    const { encrypted_content: encrypted, ...rest } = block
    const ready = openBlock(state, opening, { ...rest, content: '' }, context, events)
    const last = encrypted === undefined ? {} : { encrypted_content: encrypted }
    events.push(
      pieceEvent(ready, { type: 'compaction_delta', content: isNonEmptyString(content) ? content : null, ...last }),
    )
    return stopBlock(ready, events)
  }
  return stopBlock(openBlock(state, opening, block, context, events), events)
}
