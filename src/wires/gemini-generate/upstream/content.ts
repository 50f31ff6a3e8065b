import { EMPTY_LIST, type List, listAppend, listOf, listToArray } from '../../../collections/list.ts'
import { mapDelete, mapGet, mapSet, mapValues } from '../../../collections/sorted-map.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { DIFFERENT } from '../../../responses/final-values.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { firstDifference } from '../../../text/json-diff.ts'
import { readCallId } from '../../shared/upstream/answers/answer-values.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import { type ArgsPiece, joinArgs, readPiece } from '../partial-args.ts'
import type { SignatureSpan } from '../thought-signatures.ts'
import {
  type DecoderProgress,
  type GeminiState,
  type NamedCall,
  type Run,
  type StartedCall,
  updateProgress,
} from './state.ts'

/** Returns the key of the open text, or of the next text. */
export const textPartKey = (texts: { readonly length: number }): string => `text ${texts.length}`

const marksOf = (marks: List<SignatureSpan>): Json => listToArray(marks).map((mark): Json => [...mark])

/** Emits the signatures of a text when it is over, because their item would otherwise split the text in two. */
function sealRun({ kind, key, marks }: Run, deltas: Deltas): void {
  if (marks.length === 0) return
  const on = kind === 'text' ? 'text' : 'thought'
  deltas.push({
    kind: 'opaque',
    key: kind === 'text' ? `signatures of ${key}` : key,
    payload: { on, marks: marksOf(marks) },
  })
}

export function endRun(state: GeminiState, deltas: Deltas): GeminiState {
  const { runText, grown, progress } = state
  const { run } = progress
  if (run === null) return state
  sealRun(run, deltas)
  const text = { key: run.key, text: runText, held: progress.grounded }
  const texts = run.kind === 'text' ? listAppend(progress.texts, text) : progress.texts
  return { runText: '', grown, progress: { ...progress, run: null, texts } }
}

/** Seals the parts of finished steps if one of them is signed: signed parts must go back unchanged. */
export function sealParts(state: GeminiState, deltas: Deltas): GeminiState {
  const { raw, signed, keys } = state.progress
  if (raw.length === 0) return state
  if (signed) deltas.push({ kind: 'opaque', key: `parts ${keys}`, payload: { on: 'parts', parts: listToArray(raw) } })
  return updateProgress(state, { raw: EMPTY_LIST, signed: false, keys: keys + 1 })
}

/** Ends the open text, call and steps, before another item begins. */
export const interrupt = (state: GeminiState, deltas: Deltas): GeminiState =>
  sealParts(endCalls(endRun(state, deltas), true, deltas), deltas)

/** Ends what is open before a call begins, but no call: calls may take turns if they have ids. */
export const interruptForCall = (state: GeminiState, deltas: Deltas): GeminiState =>
  state.progress.call?.id === '' ? interrupt(state, deltas) : sealParts(setAside(endRun(state, deltas)), deltas)

/** Applies a piece of text or reasoning. An empty piece may carry the signature of the whole answer. */
export function applyText(
  state: GeminiState,
  part: JsonRecord,
  deltas: Deltas,
  logprobs: readonly Logprob[] | null,
): GeminiState {
  const text = typeof part.text === 'string' ? part.text : ''
  const kind = part.thought === true ? 'summary' : 'text'
  const { run } = state.progress
  if (run === null || run.kind !== kind) {
    if (text !== '') return applyText(openRun(state, kind, deltas), part, deltas, logprobs)
    return isNonEmptyString(part.thoughtSignature) ? sealLoose(state, part, deltas) : state
  }
  if (text !== '') deltas.push({ kind, key: run.key, part: '', text, logprobs })
  const runText = appendFlat(state.runText, text)
  if (!isNonEmptyString(part.thoughtSignature)) return { runText, grown: state.grown, progress: state.progress }
  const mark: SignatureSpan = [state.runText.length, runText.length, part.thoughtSignature]
  return {
    runText,
    grown: state.grown,
    progress: { ...state.progress, run: { ...run, marks: listAppend(run.marks, mark) } },
  }
}

function openRun(state: GeminiState, kind: Run['kind'], deltas: Deltas): GeminiState {
  const before = interrupt(state, deltas)
  const { texts, keys } = before.progress
  const key = kind === 'text' ? textPartKey(texts) : `thought ${keys}`
  return updateProgress(before, {
    run: { kind, key, marks: EMPTY_LIST },
    keys: keys + 1,
    hasContent: true,
    ended: false,
  })
}

/** Seals a signature on an empty part that does not continue the open text. */
function sealLoose(state: GeminiState, part: JsonRecord, deltas: Deltas): GeminiState {
  const before = interrupt(state, deltas)
  const { text, thought, thoughtSignature } = part
  const kept = {
    text: typeof text === 'string' ? text : '',
    ...(thought === true ? { thought } : {}),
    thoughtSignature,
  }
  return sealParts(updateProgress(before, { raw: listOf([kept as Json]), signed: true }), deltas)
}

// ---------------------------------------------------------------- calls

/** Puts the call of the last piece among those that wait for more. */
function setAside(state: GeminiState): GeminiState {
  const { call, waiting } = state.progress
  if (call === null) return state
  const whole = { ...call, pieces: piecesOf(call, state.grown), growing: '' }
  return updateProgress({ ...state, grown: '' }, { call: null, waiting: mapSet(waiting, call.key, whole) })
}

/** Ends all open calls. */
export function endCalls(state: GeminiState, whole: boolean, deltas: Deltas): GeminiState {
  const { call, waiting } = state.progress
  if (call === null && waiting === null) return state
  const aside = setAside(state)
  for (const one of mapValues(aside.progress.waiting)) emitWhole(one, whole, deltas)
  return updateProgress(aside, { waiting: null })
}

/** Ends the call of the last piece. */
function endCall(state: GeminiState, deltas: Deltas): GeminiState {
  const { call } = state.progress
  if (call === null) return state
  emitWhole({ ...call, pieces: piecesOf(call, state.grown), growing: '' }, true, deltas)
  return updateProgress({ ...state, grown: '' }, { call: null })
}

/**
 * Emits the arguments of a call in one piece, because `partialArgs` may address any path in them. If the answer was cut
 * off inside the call, the last brace is left out, so that incomplete arguments do not parse.
 */
function emitWhole({ key, args: given, pieces }: StartedCall, whole: boolean, deltas: Deltas): void {
  const args = formatArguments(joinArgs(given, listToArray(pieces)), deltas) || '{}'
  emitArguments(key, whole ? args : args.slice(0, -1), deltas)
  if (whole) deltas.push({ kind: 'stop', key })
}

/** Returns the pieces so far, including the string that is still growing. */
const piecesOf = ({ pieces, growing }: StartedCall, grown: string): List<ArgsPiece> =>
  growing === '' ? pieces : listAppend<ArgsPiece>(pieces, { path: growing, append: grown })

function emitArguments(key: string, args: string, deltas: Deltas): void {
  deltas.push({ kind: 'call', key, type: 'function_call', callId: null, name: null, arguments: args })
}

/** The signature of a call, and the key of the reasoning item that carries it. */
interface Sealed {
  readonly signature: unknown
  readonly key: string
}

const NO_SEAL: Sealed = { signature: null, key: '' }

/** The key of the open call to which a `functionCall` belongs by its id, or without an id; null if there is none. */
function openKeyOf({ call, waiting, callIds }: DecoderProgress, { id }: JsonRecord): string | null {
  const own = readCallId(id)
  const known = own === null ? undefined : mapGet(callIds, own)?.key
  if (known === undefined) return call !== null && (own === null || call.id === '') ? call.key : null
  return known === call?.key || mapGet(waiting, known) !== undefined ? known : null
}

/** Whether a `functionCall` continues an open call: it has no name, or repeats the id of that call. */
export const goesOn = (progress: DecoderProgress, found: JsonRecord): boolean =>
  !isNonEmptyString(found.name) || (readCallId(found.id) !== null && knownKeyOf(progress, found) !== null)

/** The key of an open call with this id. */
function knownKeyOf(progress: DecoderProgress, found: JsonRecord): string | null {
  const key = mapGet(progress.callIds, readCallId(found.id) ?? '')?.key
  return key === undefined ? null : openKeyOf(progress, found)
}

/** Makes the call of a piece the one that is continued. */
function switchTo(state: GeminiState, key: string): GeminiState {
  if (state.progress.call?.key === key) return state
  const aside = setAside(state)
  const { waiting } = aside.progress
  return updateProgress(aside, { call: mapGet(waiting, key) ?? null, waiting: mapDelete(waiting, key) })
}

/** Begins a call, or continues an open one. Before a new call, the caller closes the open items. */
export function applyCall(before: GeminiState, found: JsonRecord, sealed: Sealed, deltas: Deltas): GeminiState {
  return isNonEmptyString(found.name) && !goesOn(before.progress, found)
    ? beginCall(before, found, found.name, sealed, deltas)
    : goOn(before, found, isObject(found.args) ? found.args : {}, deltas)
}

function beginCall(state: GeminiState, found: JsonRecord, name: string, sealed: Sealed, deltas: Deltas): GeminiState {
  const { keys, callIds } = state.progress
  const id = readCallId(found.id) ?? ''
  // The signature is emitted before the call, so that its reasoning item precedes the item of the call.
  if (isNonEmptyString(sealed.signature)) {
    deltas.push({ kind: 'opaque', key: sealed.key, payload: { on: 'call', id, signature: sealed.signature } })
  }
  const key = `call ${keys}`
  const args: Json = isObject(found.args) ? (found.args as Json) : {}
  const more = found.willContinue === true || toArray(found.partialArgs).length > 0
  const text = more ? '' : toText(found.args, deltas)
  const earlier = id === '' ? undefined : mapGet(callIds, id)
  // The upstream repeats a call to add its signature. Some proxies give several calls one id.
  if (earlier !== undefined && !isAnother(earlier, name, text)) return updateProgress(state, { keys: keys + 1 })
  deltas.push({
    kind: 'call',
    key,
    type: 'function_call',
    callId: id === '' ? null : id,
    name: name === '' ? null : name,
    arguments: text,
  })
  const started = updateProgress(state, {
    call: more ? { key, id, args, pieces: EMPTY_LIST, growing: '' } : null,
    keys: keys + 1,
    callIds: id === '' ? callIds : mapSet(callIds, id, { key, name, text }),
    hasContent: true,
    ended: false,
  })
  if (more) return goOn(started, found, {}, deltas)
  deltas.push({ kind: 'stop', key })
  return started
}

/** Whether a call under a known id is another one. That of arguments in pieces is not: its pieces may have ended. */
const isAnother = (earlier: NamedCall, name: string, text: string): boolean =>
  earlier.name !== name || (earlier.text !== '' && text !== '' && text !== earlier.text)

/** Arguments are an object. Some proxies send its text. */
const toText = (args: unknown, deltas: Deltas): string =>
  typeof args === 'string' ? args : formatArguments(args ?? {}, deltas) || '{}'

/** `final`: the whole arguments that the last piece of a call may repeat; empty if it does not. */
function goOn(state: GeminiState, found: JsonRecord, final: JsonRecord, deltas: Deltas): GeminiState {
  const key = openKeyOf(state.progress, found)
  const pieces = toArray(found.partialArgs)
  if (key === null) {
    if (pieces.length > 0) emitLoss('arguments without a call', deltas)
    return found.args && pieces.length === 0 ? beginCall(state, found, '', NO_SEAL, deltas) : state
  }
  const next = pieces.reduce<GeminiState>((now, piece) => applyPiece(now, piece, deltas), switchTo(state, key))
  return found.willContinue === true ? next : endCall(withFinal(next, final, deltas), deltas)
}

/** Final arguments replace the pieces, because all of them are emitted now. */
function withFinal(state: GeminiState, final: JsonRecord, deltas: Deltas): GeminiState {
  const { call } = state.progress
  if (call === null || Object.keys(final).length === 0) return state
  const pieces = listToArray(piecesOf(call, state.grown))
  const joined = joinArgs(call.args, pieces)
  if (pieces.length > 0 && firstDifference(joined, final) !== null) emitLoss(DIFFERENT, deltas)
  return updateProgress(
    { ...state, grown: '' },
    { call: { ...call, args: final as Json, pieces: EMPTY_LIST, growing: '' } },
  )
}

/** A long string comes in many pieces. Consecutive pieces of one path are only appended to `grown`. */
function applyPiece(state: GeminiState, piece: unknown, deltas: Deltas): GeminiState {
  const { call } = state.progress
  if (call === null || !isObject(piece)) {
    emitLoss('an unreadable piece of arguments', deltas)
    return state
  }
  const { jsonPath, stringValue } = piece
  if (isNonEmptyString(jsonPath) && jsonPath === call.growing && typeof stringValue === 'string') {
    return { runText: state.runText, grown: appendFlat(state.grown, stringValue), progress: state.progress }
  }
  const read = readPiece(piece)
  if (read === null) {
    emitLoss('an unreadable piece of arguments', deltas)
    return state
  }
  const pieces = piecesOf(call, state.grown)
  return 'append' in read
    ? updateProgress({ ...state, grown: read.append }, { call: { ...call, pieces, growing: read.path } })
    : updateProgress(
        { ...state, grown: '' },
        { call: { ...call, pieces: listAppend<ArgsPiece>(pieces, read), growing: '' } },
      )
}
