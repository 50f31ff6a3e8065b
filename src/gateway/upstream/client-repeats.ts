import type { Json } from '../../protocol/json.ts'
import { concatenated, toHex } from '../../text/bytes.ts'
import { writeJson } from '../../text/json-write.ts'
import type { Hashes } from '../hashes.ts'
import { type Awaitable, runInSlices } from '../run-in-slices.ts'

/** The time in which a client repeats a request that has failed. Longer pauses do not multiply a load. */
export const REPEAT_MS = 60_000

/** Failures beyond them are not remembered. */
const MOST_FAILURES = 1000

/** A request, as far as a repetition of it is the same. */
export interface RepeatedRequest {
  readonly key: string | null
  readonly vendor: string
  readonly model: string
  readonly body: unknown
}

/** The requests whose last answer was a failure that may pass, by their hashes. */
export interface ClientRepeats {
  /** Whether the client repeats a request that has failed a short time before. */
  has(request: RepeatedRequest): Awaitable<boolean>
  noteFailure(request: RepeatedRequest): Promise<void>
}

/** `clock`: milliseconds. Nothing is hashed as long as no request has failed. */
export function createClientRepeats({ sha256 }: Pick<Hashes, 'sha256'>, clock: () => number): ClientRepeats {
  /** The times at which failures are forgotten, in their order. */
  const failures = new Map<string, number>()

  const hashOf = async ({ key, vendor, model, body }: RepeatedRequest): Promise<string> => {
    const pieces = await runInSlices(writeJson([key, vendor, model, body as Json]))
    return toHex(sha256(concatenated(pieces)))
  }

  const prune = (): void => {
    for (const [hash, end] of failures) {
      if (end > clock() && failures.size <= MOST_FAILURES) return
      failures.delete(hash)
    }
  }

  return {
    has(request) {
      prune()
      return failures.size > 0 && hashOf(request).then((hash) => failures.has(hash))
    },
    async noteFailure(request) {
      const hash = await hashOf(request)
      // A later failure has a later place.
      failures.delete(hash)
      failures.set(hash, clock() + REPEAT_MS)
      prune()
    },
  }
}
