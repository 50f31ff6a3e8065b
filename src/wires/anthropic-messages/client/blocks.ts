import { appendText, NO_TEXT } from '../../../collections/block-text.ts'
import { EMPTY_LIST, listAppend } from '../../../collections/list.ts'
import type { CallDelta, CitationDelta, ContentDelta } from '../../../protocol/delta.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { append, BLOCK } from '../../../text/flat-string.ts'
import { formatJson, isObject, isText } from '../../../text/json.ts'
import type { Answering } from '../../client-contract.ts'
import { UNSIGNED } from '../encrypted-blocks.ts'
import type { BlockDelta, MessagesEvent } from '../json.ts'
import { toCited } from './citations.ts'
import { startEvent } from './message-end.ts'
import { NO_CITED, toResults, withCited } from './search-results.ts'
import { hostedBlocks } from './server-tools.ts'
import { type Open, retold, type TellState } from './state.ts'

/** The events that one delta produces. */
export type Tell = MessagesEvent[]

export const pieceEvent = ({ story }: TellState, delta: BlockDelta): MessagesEvent => ({
  type: 'content_block_delta',
  index: story.index,
  delta,
})

export function begin(state: TellState, { id }: Answering, tell: Tell): TellState {
  if (state.story.started) return state
  tell.push(startEvent(id, state.story))
  return retold(state, { started: true })
}

// ---------------------------------------------------------------- opening and closing

type Opening = Pick<Open, 'kind' | 'key'> & Partial<Open>

const opened = (state: TellState, opening: Opening): TellState => ({
  said: '',
  story: { ...state.story, open: { part: '', full: false, hosted: null, ...opening } },
})

/** Opens a new block after closing the one before it. */
function openBlock(state: TellState, opening: Opening, content_block: JsonObject, answering: Answering, tell: Tell) {
  const ready = closeOpen(begin(state, answering, tell), answering, tell)
  tell.push({ type: 'content_block_start', index: ready.story.index, content_block })
  return opened(ready, opening)
}

function stopBlock(state: TellState, tell: Tell): TellState {
  const { index } = state.story
  tell.push({ type: 'content_block_stop', index })
  return { said: '', story: { ...state.story, index: index + 1, open: null } }
}

/** Writes the remaining events of the open item and closes its block. */
export function closeOpen(state: TellState, answering: Answering, tell: Tell): TellState {
  const { open } = state.story
  switch (open?.kind) {
    case undefined:
      return state
    case 'hosted':
      return tellHosted(retold(state, { open: null }), open, answering, tell)
    case 'thinking':
      tell.push(pieceEvent(state, { type: 'signature_delta', signature: UNSIGNED }))
      return stopBlock(state, tell)
    case 'custom':
      tell.push(pieceEvent(state, { type: 'input_json_delta', partial_json: '"}' }))
      return stopBlock(state, tell)
    default:
      return stopBlock(state, tell)
  }
}

// ---------------------------------------------------------------- text and its citations

/** Adds a piece to the open text. Most of a long text is kept in blocks (`before`), and only its end is in `said`. */
export function withPiece({ said, story }: TellState, piece: string): TellState {
  if (said.length < BLOCK) return { said: append(said, piece), story }
  return { said: piece, story: { ...story, before: appendText(story.before, said) } }
}

export function tellText(state: TellState, delta: ContentDelta, answering: Answering, tell: Tell): TellState {
  const { key, part, text } = delta
  if (text === '') return state
  const { open } = state.story
  const same = open?.kind === 'text' && open.key === key && open.part === part
  const said = same ? state.said : ''
  const before = same ? state.story.before : NO_TEXT
  const ready =
    same && !open.full
      ? state
      : openBlock(state, { kind: 'text', key, part }, { type: 'text', text: '' }, answering, tell)
  tell.push(pieceEvent(ready, { type: 'text_delta', text }))
  const { story } = ready
  return withPiece({ said, story: story.before === before ? story : { ...story, before } }, text)
}

export function markFull(state: TellState, key: string): TellState {
  const { open } = state.story
  return open?.kind === 'text' && open.key === key && !open.full
    ? retold(state, { open: { ...open, full: true } })
    : state
}

export function tellCitation(state: TellState, delta: CitationDelta, tell: Tell): TellState {
  const { open, owed, cited } = state.story
  const known = owed.length === 0 ? state : retold(state, { cited: withCited(cited, delta) })
  if (open?.kind !== 'text' || open.key !== delta.key) return known
  const before = appendText(known.story.before, state.said)
  tell.push(pieceEvent(known, { type: 'citations_delta', citation: toCited(delta.citation, before) }))
  return markFull({ said: '', story: { ...known.story, before } }, delta.key)
}

// ---------------------------------------------------------------- reasoning

const THINKING: JsonObject = { type: 'thinking', thinking: '', signature: '' }

/** All parts of a reasoning item share one block, because one signature covers all of them. */
export function tellThought(state: TellState, delta: ContentDelta, answering: Answering, tell: Tell): TellState {
  const { kind, key, text } = delta
  if (text === '') return state
  const part = `${kind} ${delta.part}`
  const { open } = state.story
  if (open?.kind !== 'thinking' || open.key !== key) {
    const begun = openBlock(state, { kind: 'thinking', key, part }, THINKING, answering, tell)
    return think(begun, text, tell)
  }
  if (open.part === part) return think(state, text, tell)
  return think(retold(state, { open: { ...open, part } }), `\n\n${text}`, tell)
}

function think(state: TellState, thinking: string, tell: Tell): TellState {
  tell.push(pieceEvent(state, { type: 'thinking_delta', thinking }))
  return { said: append(state.said, thinking), story: state.story }
}

/** Returns a field of an encrypted payload that this wire's own vendor issued; null for any other payload. */
const fieldOf = (payload: Json | undefined, type: string, field: string): string | null => {
  const value = isObject(payload) && payload.type === type ? payload[field] : null
  return isText(value) ? value : null
}

/**
 * Ends a reasoning item with its encrypted content. The vendor's own signature is written if it belongs to exactly this
 * text. Any other content is written in its envelope, and clients return it in that envelope.
 */
export function tellSeal(state: TellState, key: string, sealed: string, answering: Answering, tell: Tell): TellState {
  const { open } = state.story
  const thinks = open?.kind === 'thinking' && open.key === key
  const payload = answering.open(sealed)
  const data = fieldOf(payload, 'redacted_thinking', 'data')
  if (data !== null && !thinks) {
    return stopBlock(
      openBlock(state, { kind: 'thinking', key }, { type: 'redacted_thinking', data }, answering, tell),
      tell,
    )
  }
  const ready = thinks ? state : openBlock(state, { kind: 'thinking', key }, THINKING, answering, tell)
  const own = isObject(payload) && payload.thinking === ready.said ? fieldOf(payload, 'thinking', 'signature') : null
  tell.push(pieceEvent(ready, { type: 'signature_delta', signature: own ?? sealed }))
  return stopBlock(ready, tell)
}

// ---------------------------------------------------------------- calls

/** A custom tool is called with one string argument, so the pieces of its input are pieces of a JSON string. */
const inString = (text: string): string => JSON.stringify(text).slice(1, -1)

export function tellCall(state: TellState, delta: CallDelta, answering: Answering, tell: Tell): TellState {
  const { key, type, callId, name } = delta
  const { open } = state.story
  const isOpen = (open?.kind === 'call' || open?.kind === 'custom') && open.key === key
  if (!isOpen && name === null) return state
  const ready = isOpen ? state : openCall(state, key, type, callId ?? '', name ?? '', answering, tell)
  tellArguments(ready, delta.arguments, tell)
  return ready
}

function openCall(
  state: TellState,
  key: string,
  type: CallDelta['type'],
  id: string,
  name: string,
  answering: Answering,
  tell: Tell,
): TellState {
  const kind = type === 'function_call' ? 'call' : 'custom'
  const block = { type: 'tool_use', id, name, input: {} }
  const settled = settleSearches(closeOpen(state, answering, tell), answering, tell)
  const ready = retold(openBlock(settled, { kind, key }, block, answering, tell), { called: true })
  const first = kind === 'call' ? '' : '{"input":"'
  tell.push(pieceEvent(ready, { type: 'input_json_delta', partial_json: first }))
  return ready
}

function tellArguments(state: TellState, text: string, tell: Tell): void {
  if (text === '') return
  const partial_json = state.story.open?.kind === 'custom' ? inString(text) : text
  tell.push(pieceEvent(state, { type: 'input_json_delta', partial_json }))
}

// ---------------------------------------------------------------- hosted tools

/** Keeps the latest version of a hosted item, which is written when the item ends. */
export function keepHosted(state: TellState, key: string, hosted: Open['hosted'], answering: Answering, tell: Tell) {
  const { open } = state.story
  if (open?.kind === 'hosted' && open.key === key) return retold(state, { open: { ...open, hosted } })
  return opened(closeOpen(begin(state, answering, tell), answering, tell), { kind: 'hosted', key, hosted })
}

function tellHosted(state: TellState, { key, hosted }: Open, answering: Answering, tell: Tell): TellState {
  const { blocks, owed } = hosted === null ? { blocks: [], owed: null } : hostedBlocks(hosted, answering.open)
  const searches = blocks.filter(({ type, name }) => type === 'server_tool_use' && name === 'web_search').length
  const told = blocks.reduce<TellState>((now, block) => tellWhole(now, key, block, answering, tell), state)
  if (searches === 0) return told
  const { story } = told
  return retold(told, {
    searches: story.searches + searches,
    owed: owed === null ? story.owed : listAppend(story.owed, owed),
  })
}

/** Writes the results of searches that waited for the titles of their pages, one block for each search. */
export function settleSearches(state: TellState, answering: Answering, tell: Tell): TellState {
  const { owed, cited } = state.story
  if (owed.length === 0) return state
  const settled = retold(state, { owed: EMPTY_LIST, cited: NO_CITED })
  return toResults(owed, cited).reduce<TellState>(
    (now, block) => tellWhole(now, `${block.tool_use_id}`, block, answering, tell),
    settled,
  )
}

/** Writes a block that is complete. Fields that a stream sends as deltas are written as deltas. */
function tellWhole(state: TellState, key: string, block: JsonObject, answering: Answering, tell: Tell): TellState {
  const { type, input, content } = block
  const opening: Opening = { kind: 'call', key }
  if (type === 'server_tool_use' || type === 'mcp_tool_use') {
    const ready = openBlock(state, opening, { ...block, input: {} }, answering, tell)
    for (const partial_json of ['', formatJson(input)])
      tell.push(pieceEvent(ready, { type: 'input_json_delta', partial_json }))
    return stopBlock(ready, tell)
  }
  if (type === 'compaction' && isText(content)) {
    const ready = openBlock(state, opening, { type, content: '' }, answering, tell)
    tell.push(pieceEvent(ready, { type: 'compaction_delta', content }))
    return stopBlock(ready, tell)
  }
  return stopBlock(openBlock(state, opening, block, answering, tell), tell)
}
