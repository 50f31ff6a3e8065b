import { EMPTY_LIST, type List, listAppend, listOf, listToArray } from '../../../collections/list.ts'
import { mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { DIFFERENT } from '../../../responses/final-values.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { firstDifference } from '../../../text/json-diff.ts'
import { readCallId } from '../../shared/upstream/answers/answer-values.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import type { SignatureSpan } from '../thought-signatures.ts'
import {
  type ArgsPiece,
  type DecoderProgress,
  type GeminiState,
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
  sealParts(endCall(endRun(state, deltas), true, deltas), deltas)

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

/**
 * Ends the open call and emits its arguments in one piece, because `partialArgs` may address any path in them. If the
 * answer was cut off inside the call, the last brace is left out, so that incomplete arguments do not parse.
 */
export function endCall(state: GeminiState, whole: boolean, deltas: Deltas): GeminiState {
  const { call } = state.progress
  if (call === null) return state
  const args = formatArguments(joinArgs(call.args, listToArray(piecesOf(call, state.grown))), deltas) || '{}'
  emitArguments(call.key, whole ? args : args.slice(0, -1), deltas)
  if (whole) deltas.push({ kind: 'stop', key: call.key })
  return updateProgress({ ...state, grown: '' }, { call: null })
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

/** Whether a `functionCall` continues the open call: it has no name, or repeats the id of that call. */
export const goesOn = ({ call }: DecoderProgress, { name, id }: JsonRecord): boolean =>
  !isNonEmptyString(name) || (call !== null && readCallId(id) !== null && readCallId(id) === call.id)

/** Begins a call, or continues the open one. Before a new call, the caller closes the open items. */
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
  // The upstream repeats a call only to add its signature.
  if (id !== '' && mapGet(callIds, id) === true) return updateProgress(state, { keys: keys + 1 })
  const key = `call ${keys}`
  const args: Json = isObject(found.args) ? (found.args as Json) : {}
  const more = found.willContinue === true || toArray(found.partialArgs).length > 0
  deltas.push({
    kind: 'call',
    key,
    type: 'function_call',
    callId: id === '' ? null : id,
    name,
    arguments: more ? '' : toText(found.args, deltas),
  })
  const begun = updateProgress(state, {
    call: more ? { key, id, args, pieces: EMPTY_LIST, growing: '' } : null,
    keys: keys + 1,
    callIds: id === '' ? callIds : mapSet(callIds, id, true),
    hasContent: true,
    ended: false,
  })
  if (more) return goOn(begun, found, {}, deltas)
  deltas.push({ kind: 'stop', key })
  return begun
}

/** Arguments are an object. Some proxies send its text. */
const toText = (args: unknown, deltas: Deltas): string =>
  typeof args === 'string' ? args : formatArguments(args ?? {}, deltas) || '{}'

/** `final`: the whole arguments that the last piece of a call may repeat; empty if it does not. */
function goOn(state: GeminiState, found: JsonRecord, final: JsonRecord, deltas: Deltas): GeminiState {
  const { call } = state.progress
  const pieces = toArray(found.partialArgs)
  if (call === null) {
    if (pieces.length > 0) emitLoss('arguments without a call', deltas)
    return state
  }
  const next = pieces.reduce<GeminiState>((now, piece) => applyPiece(now, piece, deltas), state)
  return found.willContinue === true ? next : endCall(withFinal(next, final, deltas), true, deltas)
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

type Step = string | number

/** The greatest depth of arguments. Deeper paths are rejected. */
const DEEPEST = 100

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]/gy

/** Parses a path such as `$.a[1]['b c']` into its steps; null if it is invalid, too long or too deep. */
function parsePath(path: string): readonly Step[] | null {
  if (!path.startsWith('$') || path.length > 10_000) return null
  const steps: Step[] = []
  STEP.lastIndex = 1
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path)
    if (found === null || steps.length === DEEPEST) return null
    const [, name, index, quoted, doubled] = found
    steps.push(index === undefined ? (name ?? quoted ?? doubled ?? '') : Number(index))
  }
  return steps
}

/** Reads one entry of `partialArgs`; null if it is invalid. */
function readPiece(piece: unknown): ArgsPiece | null {
  if (!isObject(piece) || !isNonEmptyString(piece.jsonPath) || !parsePath(piece.jsonPath)?.length) return null
  const { jsonPath: path, stringValue, numberValue, boolValue } = piece
  if (typeof stringValue === 'string') return { path, append: stringValue }
  if (typeof numberValue === 'number') return { path, set: numberValue }
  if (typeof boolValue === 'boolean') return { path, set: boolValue }
  return Object.hasOwn(piece, 'nullValue') ? { path, set: null } : null
}

type MutableRecord = Record<string, Json>

/** Builds arguments in place. Changes only lists and objects that it has created or copied itself. */
class Draft {
  private readonly ours = new Set<unknown>()

  /** Adds a piece to a value. A list grows by one element at a time: an index beyond its end means the next one. */
  put(value: Json | undefined, steps: readonly Step[], at: number, piece: ArgsPiece): Json {
    const step = steps[at]
    if (step === undefined) return 'set' in piece ? piece.set : (typeof value === 'string' ? value : '') + piece.append
    if (typeof step === 'number') {
      const list = this.listOf(value)
      const index = Math.min(step, list.length)
      list[index] = this.put(list[index], steps, at + 1, piece)
      return list
    }
    const record = this.recordOf(value)
    const inner = this.put(Object.hasOwn(record, step) ? record[step] : undefined, steps, at + 1, piece)
    // Defines an own property for any name, such as `__proto__`.
    Object.defineProperty(record, step, { value: inner, configurable: true, enumerable: true, writable: true })
    return record
  }

  private listOf(value: Json | undefined): Json[] {
    if (this.ours.has(value)) return value as Json[]
    const list: Json[] = Array.isArray(value) ? [...value] : []
    this.ours.add(list)
    return list
  }

  private recordOf(value: Json | undefined): MutableRecord {
    if (this.ours.has(value)) return value as MutableRecord
    const record: MutableRecord = isObject(value) ? { ...(value as MutableRecord) } : {}
    this.ours.add(record)
    return record
  }
}

/** Adds pieces to arguments. O(n) for all pieces together: given values are copied once, where they change. */
function joinArgs(args: Json, pieces: Iterable<ArgsPiece>): Json {
  const draft = new Draft()
  let joined = args
  for (const piece of pieces) joined = draft.put(joined, parsePath(piece.path) ?? [], 0, piece)
  return joined
}
