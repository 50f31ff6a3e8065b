import type { ContentDelta, ContentKind } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { codePoints } from '../../../text/offsets.ts'
import { emitWrongKind, readText } from '../../shared/upstream/answers/answer-values.ts'
import { type Deltas, emitLoss, emitWords } from '../../shared/upstream/deltas.ts'
import { type CohereState, leaveText, PLAN, textKey } from './state.ts'

const KNOWN = ['text', 'thinking']

/** The number of blocks that are kept. Citations follow soon after their block, so older blocks are dropped. */
const KEPT_BLOCKS = 32

/** Applies a content block, or a piece of one. A string is equivalent to a text block. */
function applyContent(
  state: CohereState,
  { index }: JsonRecord,
  { content: block }: JsonRecord,
  deltas: Deltas,
): CohereState {
  if (isNonEmptyString(block)) return applyText(state, scalarToString(index), block, deltas)
  if (!isObject(block)) {
    emitWrongKind('content', block, deltas)
    return state
  }
  const { text, thinking } = block
  if (isNonEmptyString(thinking)) deltas.push(contentDelta('reasoning', 'thought', thinking))
  const left = isNonEmptyString(thinking) ? leaveText(state) : state
  if (isNonEmptyString(text)) return applyText(left, scalarToString(index), text, deltas)
  if (left === state && isNonEmptyString(block.type) && !KNOWN.includes(block.type))
    emitLoss(`content ${block.type}`, deltas)
  return left
}

const contentDelta = (kind: ContentKind, key: string, text: string): ContentDelta => ({
  kind,
  key,
  part: '',
  text,
  logprobs: null,
})

const withGiven = ({ length, progress }: CohereState, given: string): CohereState => ({
  length,
  progress: { ...progress, given },
})

/** Returns the text or the reasoning of a block. */
const wordsOf = (block: unknown): string =>
  isObject(block) ? readText(block.text) || readText(block.thinking) : readText(block)

/** Applies the start of a block, which may have content. */
export function applyContentStart(
  state: CohereState,
  event: JsonRecord,
  message: JsonRecord,
  deltas: Deltas,
): CohereState {
  const next = applyContent(state, event, message, deltas)
  const given = wordsOf(message.content)
  return given === next.progress.given ? next : withGiven(next, given)
}

/** Applies a piece of a block. The first one may repeat the start of the block, as at MiniMax on Anthropic's wire. */
export function applyContentDelta(
  state: CohereState,
  event: JsonRecord,
  message: JsonRecord,
  deltas: Deltas,
): CohereState {
  const { given } = state.progress
  if (given === '') return applyContent(state, event, message, deltas)
  const ready = withGiven(state, '')
  return given === wordsOf(message.content) ? ready : applyContent(ready, event, message, deltas)
}

/** A second start of another answer means that a proxy retried: the text so far cannot be taken back. */
export function applyMessageStart(state: CohereState, { id }: JsonRecord, _: JsonRecord, deltas: Deltas): CohereState {
  const { message } = state.progress
  if (!isNonEmptyString(id) || id === message) return state
  if (message !== '') emitLoss('an answer that the upstream restarted', deltas)
  emitWords({ id }, deltas)
  const left = message === '' ? state : leaveText(state)
  return { length: left.length, progress: { ...left.progress, message: id } }
}

function applyText(state: CohereState, index: string, text: string, deltas: Deltas): CohereState {
  const { progress } = state
  const open = progress.inText ? progress.blocks.at(-1) : undefined
  if (open !== undefined && open.index === index) {
    deltas.push(contentDelta('text', open.key, text))
    return { length: state.length + codePoints(text), progress }
  }
  const base = progress.inText ? state.length : 0
  const texts = progress.inText ? progress.texts : progress.texts + 1
  const key = textKey(texts - 1)
  deltas.push(contentDelta('text', key, text))
  return {
    length: base + codePoints(text),
    progress: {
      ...progress,
      blocks: [...progress.blocks.slice(1 - KEPT_BLOCKS), { index, key, base }],
      texts,
      inText: true,
    },
  }
}

/** Emits the plan as text of the answer, before the calls that it describes. */
export function applyPlan(
  state: CohereState,
  _: JsonRecord,
  { tool_plan: plan }: JsonRecord,
  deltas: Deltas,
): CohereState {
  if (!isNonEmptyString(plan)) return state
  deltas.push(contentDelta('text', PLAN, plan))
  return leaveText(state)
}
