import type { Destination } from './destination.ts'
import { passes, readsContent } from './filter.ts'
import { isSampled } from './sampling.ts'
import { type Trace, withoutContent } from './trace.ts'

/** Whose traffic a request is. */
export interface Traffic {
  readonly workspaceId: string
  /** The SHA-256 of the key, in hexadecimal digits. */
  readonly keyHash: string
}

/** The destinations that any trace of this traffic could go to. */
export const destinationsFor = (all: readonly Destination[], { workspaceId, keyHash }: Traffic) =>
  all.filter(
    ({ enabled, workspace_id, api_key_hashes }) =>
      enabled && workspace_id === workspaceId && (api_key_hashes === null || api_key_hashes.includes(keyHash)),
  )

/** Whether any of them must see what is asked and answered: if only to filter by it. */
export const wantContent = (destinations: readonly Destination[]): boolean =>
  destinations.some(({ privacy_mode, filter_rules }) => !privacy_mode || readsContent(filter_rules))

/** Sampling goes by the session, so that a conversation is forwarded as a whole or not at all. */
const isChosen = (destination: Destination, trace: Trace): boolean =>
  isSampled(destination.sampling_rate, trace.sessionId ?? trace.traceId) && passes(destination.filter_rules, trace)

/** What this destination gets to see of a trace; null: nothing. */
export function viewTrace(destination: Destination, trace: Trace): Trace | null {
  if (!isChosen(destination, trace)) return null
  return destination.privacy_mode ? withoutContent(trace) : trace
}
