import type { Steps } from '../../text/steps.ts'
import type { SharedPrefix } from './explanation.ts'
import type { SentBlock } from './prompt.ts'

/** A stored prefix is found if it ends at most so many blocks before a breakpoint (Anthropic). */
const LOOKBACK = 20

const encoder = new TextEncoder()

const sizeOf = (text: string): number => encoder.encode(text).length

/** For each number of leading blocks, their size. */
function* sizesOf(blocks: readonly SentBlock[]): Steps<readonly number[]> {
  const sizes = [0]
  let sum = 0
  for (const { text } of blocks) {
    sum += sizeOf(text)
    sizes.push(sum)
    yield
  }
  return sizes
}

/** The size of the common beginning of two texts, in whole characters. */
function commonSize(one: string, other: string): number {
  let at = 0
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  const isHalf = at > 0 && one.charCodeAt(at - 1) >= 0xd800 && one.charCodeAt(at - 1) < 0xdc00
  return sizeOf(one.slice(0, isHalf ? at - 1 : at))
}

const hasBreakpoint = (block: SentBlock | undefined): boolean => block !== undefined && block.breakpoints.length > 0

/** The number of leading blocks that the cache finds: up to a breakpoint of the earlier prompt near one of this prompt. */
function* foundBlocks(now: readonly SentBlock[], before: readonly SentBlock[], same: number): Steps<number> {
  for (let stored = Math.min(same, before.length) - 1; stored >= 0; stored -= 1) {
    if (hasBreakpoint(before[stored]) && now.slice(stored, stored + LOOKBACK + 1).some(hasBreakpoint)) return stored + 1
    yield
  }
  return 0
}

function* equalBlocks(now: readonly SentBlock[], before: readonly SentBlock[]): Steps<number> {
  let same = 0
  for (; same < now.length && now[same]?.text === before[same]?.text; same += 1) yield
  return same
}

/**
 * Compares the prompt of a request with that of an earlier one, block by block. `needsBreakpoints`: whether the cache of
 * the upstream stores only what ends at a breakpoint.
 */
export function* sharedPrefix(
  now: readonly SentBlock[],
  before: readonly SentBlock[],
  needsBreakpoints: boolean,
): Steps<SharedPrefix> {
  const same = yield* equalBlocks(now, before)
  const [own, earlier] = [now[same], before[same]]
  const inBlock = own === undefined || earlier === undefined ? 0 : commonSize(own.text, earlier.text)
  const [sizes, sizesBefore] = [yield* sizesOf(now), yield* sizesOf(before)]
  const bytes = (sizes[same] ?? 0) + inBlock
  return {
    bytes,
    total: sizes.at(-1) ?? 0,
    previous: sizesBefore.at(-1) ?? 0,
    cached: needsBreakpoints ? (sizes[yield* foundBlocks(now, before, same)] ?? 0) : bytes,
    differsAt: earlier === undefined ? null : (own?.path ?? earlier.path),
  }
}

/** The prefix of two requests for different models, which have no cache in common. */
export function* nothingShared(now: readonly SentBlock[], before: readonly SentBlock[]): Steps<SharedPrefix> {
  const [total, previous] = [yield* sizesOf(now), yield* sizesOf(before)]
  return { bytes: 0, total: total.at(-1) ?? 0, previous: previous.at(-1) ?? 0, cached: 0, differsAt: 'model' }
}
