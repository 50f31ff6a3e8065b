import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { type Cut, caseOf, KINDS, type Kind } from './inputs.ts'
import { type BenchTargetName, DIALECT_NAMES, TARGET_NAMES } from './targets.ts'

/** The reads in which a stream arrives, and whether the deltas of one read become one event. */
export const WAYS = {
  event: { cut: 'event', coalesce: false },
  '1,400 B': { cut: '1,400 B', coalesce: false },
  '16 KiB': { cut: '16 KiB', coalesce: false },
  '16 KiB, coalesced': { cut: '16 KiB', coalesce: true },
} as const satisfies Readonly<Record<string, { readonly cut: Cut; readonly coalesce: boolean }>>

export type Way = keyof typeof WAYS

/** The cases that one process measures: the same stream for the same target, in several ways. */
export interface StreamJob {
  readonly wire: WireName
  readonly kind: Kind
  readonly target: BenchTargetName
  readonly ways: readonly Way[]
}

/** The wires that are measured: those with a row in `inputs.ts`. */
export const WIRE_NAMES = (Object.keys(WIRES) as readonly WireName[]).filter((wire) => caseOf(wire, 'text') !== null)

/** The name of a case, also in bench/committed.json. */
export function caseName({ wire, kind, target }: Omit<StreamJob, 'ways'>, way: Way): string {
  const { cut, coalesce } = WAYS[way]
  return `${wire} ${kind}, ${cut} → ${target}${coalesce ? ', coalesced' : ''}`
}

export const isText = ({ kind }: StreamJob): boolean => kind === 'text'

/** Deltas can be coalesced only if a read has several of them. */
function waysOf(kind: Kind, target: BenchTargetName, isQuick: boolean): readonly Way[] {
  const coalesced: readonly Way[] = kind === 'text' && target === 'openai' ? ['16 KiB, coalesced'] : []
  if (!isQuick) return ['event', '1,400 B', '16 KiB', ...coalesced]
  return kind === 'text' ? ['event', '16 KiB', ...coalesced] : ['event']
}

/**
 * All cases. Texts are also measured for the clients of every wire. The quick ones are texts in the smallest and the
 * largest reads, and every other kind in one read an event.
 */
export const streamJobs = (isQuick: boolean): readonly StreamJob[] =>
  WIRE_NAMES.flatMap((wire) =>
    KINDS.filter((kind) => caseOf(wire, kind) !== null).flatMap((kind) =>
      (kind === 'text' ? TARGET_NAMES : DIALECT_NAMES).map((target) => ({
        wire,
        kind,
        target,
        ways: waysOf(kind, target, isQuick),
      })),
    ),
  )

/** One case a wire is enough to show that the fast path is taken, and its cost; short answers, what the rest costs. */
export const guardedJobs = (): readonly StreamJob[] => [
  ...WIRE_NAMES.map((wire): StreamJob => ({ wire, kind: 'text', target: 'openai', ways: ['event'] })),
  { wire: 'openai-responses', kind: 'short', target: 'openai', ways: ['event'] },
  { wire: 'openai-responses', kind: 'reply', target: 'openai', ways: ['event'] },
]

export const wordsOf = ({ wire, kind, target, ways }: StreamJob, rounds: number): readonly string[] => [
  wire,
  kind,
  target,
  String(rounds),
  ...ways,
]
