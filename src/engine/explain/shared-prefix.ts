import type { SharedPrefix } from './explanation.ts'
import type { SentBlock } from './prompt.ts'

/** A stored prefix is found if it ends at most so many blocks before a breakpoint (Anthropic). */
const LOOKBACK = 20

const encoder = new TextEncoder()

const sizeOf = (text: string): number => encoder.encode(text).length

const sizeOfAll = (blocks: readonly SentBlock[]): number => blocks.reduce((sum, { text }) => sum + sizeOf(text), 0)

/** The size of the common beginning of two texts, in whole characters. */
function commonSize(one: string, other: string): number {
  let at = 0
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  const isHalf = at > 0 && one.charCodeAt(at - 1) >= 0xd800 && one.charCodeAt(at - 1) < 0xdc00
  return sizeOf(one.slice(0, isHalf ? at - 1 : at))
}

/** The number of leading blocks that the cache finds: up to a breakpoint of the earlier prompt near one of this prompt. */
function foundBlocks(now: readonly SentBlock[], before: readonly SentBlock[], same: number): number {
  const ends = (blocks: readonly SentBlock[]): readonly number[] =>
    blocks.flatMap(({ breakpoints }, at) => (breakpoints.length > 0 ? [at] : []))
  const looked = ends(now)
  const found = ends(before).filter(
    (stored) => stored < same && looked.some((end) => end >= stored && end - stored <= LOOKBACK),
  )
  return (found.at(-1) ?? -1) + 1
}

/**
 * Compares the prompt of a request with that of an earlier one, block by block. `needsBreakpoints`: whether the cache of
 * the upstream stores only what ends at a breakpoint.
 */
export function sharedPrefix(
  now: readonly SentBlock[],
  before: readonly SentBlock[],
  needsBreakpoints: boolean,
): SharedPrefix {
  const different = now.findIndex(({ text }, at) => text !== before[at]?.text)
  const same = different < 0 ? now.length : different
  const [own, earlier] = [now[same], before[same]]
  const inBlock = own === undefined || earlier === undefined ? 0 : commonSize(own.text, earlier.text)
  const bytes = sizeOfAll(now.slice(0, same)) + inBlock
  return {
    bytes,
    total: sizeOfAll(now),
    previous: sizeOfAll(before),
    cached: needsBreakpoints ? sizeOfAll(now.slice(0, foundBlocks(now, before, same))) : bytes,
    differsAt: earlier === undefined ? null : (own?.path ?? earlier.path),
  }
}

/** The prefix of two requests for different models, which have no cache in common. */
export const nothingShared = (now: readonly SentBlock[], before: readonly SentBlock[]): SharedPrefix => ({
  bytes: 0,
  total: sizeOfAll(now),
  previous: sizeOfAll(before),
  cached: 0,
  differsAt: 'model',
})
