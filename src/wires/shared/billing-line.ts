import type { ModelFacts } from '../../models/facts.ts'
import type { Quirks } from '../quirks.ts'

/**
 * The line that Claude Code puts before its system prompt for Anthropic's own accounting. A part of it differs in each
 * request, so that no other vendor finds the prompt in its cache; it is no instruction for a model.
 */
const NAME = 'x-anthropic-billing-header:'
const LINE = /(?:^|\n)x-anthropic-billing-header:[^\n]*/g

export const hasBillingLine = (text: string): boolean =>
  text.includes(NAME) && (text.startsWith(NAME) || text.includes(`\n${NAME}`))

/** Whether an upstream of the Messages API reads the line: Anthropic itself, and servers of Claude that no row knows. */
export const keepsBillingLine = ({ billingLine }: Quirks, { family }: ModelFacts): boolean =>
  (billingLine ?? (family === 'claude' ? 'kept' : 'dropped')) === 'kept'

/** A text without some of its lines, and the place there of an offset in the original. In UTF-16 units. */
interface ShortenedText {
  readonly text: string
  readonly toPlace: (offset: number) => number
}

/** Returns the text without the line, and without the blank lines that it leaves at the beginning. */
export function withoutBillingLine(text: string): ShortenedText {
  const cuts: (readonly [from: number, to: number])[] = []
  for (const { 0: line, index } of text.matchAll(LINE)) cuts.push([index, index + line.length])
  const first = cuts[0]
  if (first !== undefined && first[0] === 0) {
    let end = first[1]
    while (text[end] === '\n' && !text.startsWith(NAME, end + 1)) end += 1
    cuts[0] = [0, end]
  }
  let kept = ''
  let at = 0
  for (const [from, to] of cuts) {
    kept += text.slice(at, from)
    at = to
  }
  const removedBefore = (offset: number): number =>
    cuts.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, offset) - from), 0)
  return { text: kept + text.slice(at), toPlace: (offset) => offset - removedBefore(offset) }
}
