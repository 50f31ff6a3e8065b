import { EMPTY_LIST, type List, listAppend, listOf, listToArray } from '../../../collections/list.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import { isNonEmptyString } from '../../../text/json.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import type { SignatureSpan } from '../thought-signatures.ts'
import { endCall } from './calls.ts'
import { type GeminiState, type Run, updateProgress } from './state.ts'

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
