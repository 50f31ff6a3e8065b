import { EMPTY_LIST, type List, listAppend, listOf, listToArray } from '../../../collections/list.ts'
import type { Bag, Json } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { append } from '../../../text/flat-string.ts'
import { isText } from '../../../text/json.ts'
import type { Say } from '../../shared/upstream/deltas.ts'
import type { Mark } from '../thought-signatures.ts'
import { endCall } from './calls.ts'
import { type GeminiState, type Run, tell } from './state.ts'

/** Returns the key of the open text, or of the next text. */
export const textKey = (texts: { readonly length: number }): string => `text ${texts.length}`

const marksOf = (marks: List<Mark>): Json => listToArray(marks).map((mark): Json => [...mark])

/** Emits the signatures of a text when it is over, because their item would otherwise split the text in two. */
function sealRun({ kind, key, marks }: Run, say: Say): void {
  if (marks.length === 0) return
  const on = kind === 'text' ? 'text' : 'thought'
  say.push({
    kind: 'opaque',
    key: kind === 'text' ? `signatures of ${key}` : key,
    payload: { on, marks: marksOf(marks) },
  })
}

export function endRun(state: GeminiState, say: Say): GeminiState {
  const { said, grown, story } = state
  const { run } = story
  if (run === null) return state
  sealRun(run, say)
  const text = { key: run.key, text: said, held: story.grounded }
  const texts = run.kind === 'text' ? listAppend(story.texts, text) : story.texts
  return { said: '', grown, story: { ...story, run: null, texts } }
}

/** Seals the parts of finished steps if one of them is signed: signed parts must go back unchanged. */
export function sealParts(state: GeminiState, say: Say): GeminiState {
  const { raw, signed, keys } = state.story
  if (raw.length === 0) return state
  if (signed) say.push({ kind: 'opaque', key: `parts ${keys}`, payload: { on: 'parts', parts: listToArray(raw) } })
  return tell(state, { raw: EMPTY_LIST, signed: false, keys: keys + 1 })
}

/** Ends the open text, call and steps, before another item begins. */
export const interrupt = (state: GeminiState, say: Say): GeminiState =>
  sealParts(endCall(endRun(state, say), true, say), say)

/** Applies a piece of text or reasoning. An empty piece may carry the signature of the whole answer. */
export function hearText(state: GeminiState, part: Bag, say: Say, logprobs: readonly Logprob[] | null): GeminiState {
  const text = typeof part.text === 'string' ? part.text : ''
  const kind = part.thought === true ? 'summary' : 'text'
  const { run } = state.story
  if (run === null || run.kind !== kind) {
    if (text !== '') return hearText(openRun(state, kind, say), part, say, logprobs)
    return isText(part.thoughtSignature) ? sealLoose(state, part, say) : state
  }
  if (text !== '') say.push({ kind, key: run.key, part: '', text, logprobs })
  const said = append(state.said, text)
  if (!isText(part.thoughtSignature)) return { said, grown: state.grown, story: state.story }
  const mark: Mark = [state.said.length, said.length, part.thoughtSignature]
  return { said, grown: state.grown, story: { ...state.story, run: { ...run, marks: listAppend(run.marks, mark) } } }
}

function openRun(state: GeminiState, kind: Run['kind'], say: Say): GeminiState {
  const before = interrupt(state, say)
  const { texts, keys } = before.story
  const key = kind === 'text' ? textKey(texts) : `thought ${keys}`
  return tell(before, { run: { kind, key, marks: EMPTY_LIST }, keys: keys + 1, spoke: true, ended: false })
}

/** Seals a signature on an empty part that does not continue the open text. */
function sealLoose(state: GeminiState, part: Bag, say: Say): GeminiState {
  const before = interrupt(state, say)
  const { text, thought, thoughtSignature } = part
  const kept = {
    text: typeof text === 'string' ? text : '',
    ...(thought === true ? { thought } : {}),
    thoughtSignature,
  }
  return sealParts(tell(before, { raw: listOf([kept as Json]), signed: true }), say)
}
