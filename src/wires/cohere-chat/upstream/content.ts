import type { Bag } from '../../../protocol/json.ts'
import { isObject, isText, wordOf } from '../../../text/json.ts'
import { codePoints } from '../../../text/offsets.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { content } from './deltas.ts'
import { type CohereState, leaveText, PLAN, textKey } from './state.ts'

const KNOWN = ['text', 'thinking']

/** The number of blocks that are kept. Citations follow soon after their block, so older blocks are dropped. */
const KEPT_BLOCKS = 32

/** Applies a content block, or a piece of one. A string is equivalent to a text block. */
export function hearContent(state: CohereState, { index }: Bag, { content: block }: Bag, say: Say): CohereState {
  if (isText(block)) return hearText(state, wordOf(index), block, say)
  if (!isObject(block)) return state
  if (isText(block.text)) return hearText(state, wordOf(index), block.text, say)
  if (isText(block.thinking)) {
    say.push(content('reasoning', 'thought', block.thinking))
    return leaveText(state)
  }
  if (isText(block.type) && !KNOWN.includes(block.type)) loss(`content ${block.type}`, say)
  return state
}

function hearText(state: CohereState, index: string, text: string, say: Say): CohereState {
  const { story } = state
  const open = story.inText ? story.blocks.at(-1) : undefined
  if (open !== undefined && open.index === index) {
    say.push(content('text', open.key, text))
    return { length: state.length + codePoints(text), story }
  }
  const base = story.inText ? state.length : 0
  const texts = story.inText ? story.texts : story.texts + 1
  const key = textKey(texts - 1)
  say.push(content('text', key, text))
  return {
    length: base + codePoints(text),
    story: { ...story, blocks: [...story.blocks.slice(1 - KEPT_BLOCKS), { index, key, base }], texts, inText: true },
  }
}

/** Emits the plan as text of the answer, before the calls that it describes. */
export function hearPlan(state: CohereState, _: Bag, { tool_plan: plan }: Bag, say: Say): CohereState {
  if (!isText(plan)) return state
  say.push(content('text', PLAN, plan))
  return leaveText(state)
}
