import type { Config } from './config/config.ts'
import { type CountMemory, createCountMemory } from './counts/count-memory.ts'
import type { Hashes } from './hashes.ts'
import { ResumableStreams } from './resume/resumable-streams.ts'
import { type ClientRepeats, createClientRepeats } from './upstream/client-repeats.ts'
import { createRestrictionMemory, type RestrictionMemory } from './upstream/restriction-memory.ts'
import { createMemberTurns, type MemberTurns } from './vendors/pool-order.ts'

/** The parts of a gateway that remember earlier requests. They end with the process. */
interface Memories {
  readonly counts: CountMemory
  readonly repeats: ClientRepeats
  readonly restrictions: RestrictionMemory
  readonly turns: MemberTurns
  /** Null if no stream may be resumed. */
  readonly resumable: ResumableStreams | null
}

/** `clock`: milliseconds. */
export const createMemories = ({ resume }: Config, hashes: Hashes, clock: () => number): Memories => ({
  counts: createCountMemory(clock),
  repeats: createClientRepeats(hashes, clock),
  restrictions: createRestrictionMemory(clock),
  turns: createMemberTurns(),
  resumable: resume === undefined ? null : new ResumableStreams(resume),
})
