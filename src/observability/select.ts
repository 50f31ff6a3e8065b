import { hash32 } from '../text/hash.ts'
import type { Destination } from './destination.ts'
import { passes, readsContent } from './filter.ts'
import { type Trace, withoutClientTexts } from './trace.ts'

/** The workspace and the key that a request belongs to. */
export interface TraceScope {
  readonly workspaceId: string
  /** The SHA-256 of the key, in hexadecimal digits. */
  readonly keyHash: string
}

/** Returns the destinations that may receive traces of this traffic. */
export const destinationsFor = (all: readonly Destination[], { workspaceId, keyHash }: TraceScope) =>
  all.filter(
    ({ enabled, workspace_id, api_key_hashes }) =>
      enabled && workspace_id === workspaceId && (api_key_hashes === null || api_key_hashes.includes(keyHash)),
  )

/** Whether any destination needs input and output, even if only for its filter. */
export const wantContent = (destinations: readonly Destination[]): boolean =>
  destinations.some(({ privacy_mode, filter_rules }) => !privacy_mode || readsContent(filter_rules))

/** Sampling depends on the session, so that a conversation is forwarded completely or not at all. */
const isChosen = (destination: Destination, trace: Trace): boolean =>
  isSampled(destination.sampling_rate, trace.sessionId ?? trace.traceId) && passes(destination.filter_rules, trace)

/** Returns the trace as this destination may receive it; null if it does not receive it. */
export function viewTrace(destination: Destination, trace: Trace): Trace | null {
  if (!isChosen(destination, trace)) return null
  return destination.privacy_mode ? withoutClientTexts(trace) : trace
}

/** Whether a sample of this rate includes the word. The result is the same for the same word, in every process. */
export const isSampled = (rate: number, word: string): boolean => hash32(word) < rate * 2 ** 32
