import { EMPTY_LIST, type List, listAppend, listToArray } from '../../machine/list.ts'
import { mapGet, mapSet } from '../../machine/sorted-map.ts'
import type { Json } from '../../protocol/json.ts'
import { append } from '../../text/append.ts'
import { formatJson, isObject, isText, toArray } from '../../text/json.ts'
import { type ArgsPiece, joinArgs, readPiece } from './partial-args.ts'
import { type Bag, type GeminiState, loss, type OpenCall, type Say, type Story, tell } from './state.ts'

/**
 * The call whose arguments are being told is over. They are told at once, as pieces may come for any place of them; cut
 * off, they lack their last brace, so that nobody takes them for whole.
 */
export function endCall(state: GeminiState, whole: boolean, say: Say): GeminiState {
  const { call } = state.story
  if (call === null) return state
  const args = formatJson(joinArgs(call.args, listToArray(piecesOf(call, state.grown)))) || '{}'
  sayArguments(call.key, whole ? args : args.slice(0, -1), say)
  return tell({ ...state, grown: '' }, { call: null })
}

/** The pieces so far, with the text that is growing. */
const piecesOf = ({ pieces, growing }: OpenCall, grown: string): List<ArgsPiece> =>
  growing === '' ? pieces : listAppend<ArgsPiece>(pieces, { path: growing, append: grown })

function sayArguments(key: string, args: string, say: Say): void {
  say.push({ kind: 'call', key, type: 'function_call', callId: null, name: null, arguments: args })
}

/** What a call is signed with, and the key of the item that keeps it. */
interface Sealed {
  readonly signature: unknown
  readonly key: string
}

/** Does this go on with the call that is open? It has no name, or that call's id again. */
export const goesOn = ({ call }: Story, { name, id }: Bag): boolean =>
  !isText(name) || (call !== null && isText(id) && id === call.id)

/** A part of a call: it begins one, where nothing else is open, or goes on with the one before. */
export function hearCall(before: GeminiState, found: Bag, sealed: Sealed, say: Say): GeminiState {
  return isText(found.name) && !goesOn(before.story, found)
    ? beginCall(before, found, found.name, sealed, say)
    : goOn(before, found, say)
}

function beginCall(state: GeminiState, found: Bag, name: string, sealed: Sealed, say: Say): GeminiState {
  const { keys, callIds } = state.story
  const id = isText(found.id) ? found.id : ''
  // Said before its call, so that its item stands before the call's.
  if (isText(sealed.signature)) {
    say.push({ kind: 'opaque', key: sealed.key, payload: { on: 'call', id, signature: sealed.signature } })
  }
  // The same call again, for the sake of its signature.
  if (id !== '' && mapGet(callIds, id) === true) return tell(state, { keys: keys + 1 })
  const key = `call ${keys}`
  const args: Json = isObject(found.args) ? (found.args as Json) : {}
  const more = found.willContinue === true || toArray(found.partialArgs).length > 0
  say.push({
    kind: 'call',
    key,
    type: 'function_call',
    callId: id === '' ? null : id,
    name,
    arguments: more ? '' : toText(found.args),
  })
  const begun = tell(state, {
    call: more ? { key, id, args, pieces: EMPTY_LIST, growing: '' } : null,
    keys: keys + 1,
    callIds: id === '' ? callIds : mapSet(callIds, id, true),
    spoke: true,
    ended: false,
  })
  return more ? goOn(begun, found, say) : begun
}

/** An object; other JSON of a proxy is passed on as it is. */
const toText = (args: unknown): string => (typeof args === 'string' ? args : formatJson(args ?? {}) || '{}')

function goOn(state: GeminiState, found: Bag, say: Say): GeminiState {
  const { call } = state.story
  const pieces = toArray(found.partialArgs)
  if (call === null) {
    if (pieces.length > 0) loss('arguments of no call', say)
    return state
  }
  const told = pieces.reduce<GeminiState>((now, piece) => hearPiece(now, piece, say), state)
  return found.willContinue === true ? told : endCall(told, true, say)
}

/** Long texts come in many pieces: as long as one grows, its pieces are put behind one another and nowhere else. */
function hearPiece(state: GeminiState, piece: unknown, say: Say): GeminiState {
  const { call } = state.story
  if (call === null || !isObject(piece)) {
    loss('a piece of arguments', say)
    return state
  }
  const { jsonPath, stringValue } = piece
  if (isText(jsonPath) && jsonPath === call.growing && typeof stringValue === 'string') {
    return { said: state.said, grown: append(state.grown, stringValue), story: state.story }
  }
  const read = readPiece(piece)
  if (read === null) {
    loss('a piece of arguments', say)
    return state
  }
  const pieces = piecesOf(call, state.grown)
  return 'append' in read
    ? tell({ ...state, grown: read.append }, { call: { ...call, pieces, growing: read.path } })
    : tell({ ...state, grown: '' }, { call: { ...call, pieces: listAppend<ArgsPiece>(pieces, read), growing: '' } })
}
