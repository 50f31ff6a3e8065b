import type { RequestLimits } from '../../protocol/limits.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { Steps } from '../../text/steps.ts'
import { parseBodyPieces } from '../../validation/body.ts'
import { checkSize } from '../../validation/size.ts'
import type { Config } from '../config/config.ts'
import { runInSlices } from '../run-in-slices.ts'
import type { BodyBudget, Lease } from './body-budget.ts'
import { type BodyLimits, keptCostOf, type RequestBody } from './body-intake.ts'

/** Larger bodies, in bytes, are serialised in slices. */
export const LARGE = 256 * 1024

/** How the body for the upstream is serialised. */
export interface Writing {
  /** Bytes of the client's body. The one for the upstream is about as long: above `LARGE`, it is serialised in slices. */
  readonly size: number
  /** Called when the body has been serialised. */
  readonly onWritten: () => void
}

/** The part of a gateway that limits bodies. */
export interface BodyLimiter {
  readonly bodies: BodyBudget
  readonly config: Pick<Config, 'limits'>
}

export interface Received extends Writing {
  readonly body: Readonly<Record<string, unknown>>
}

/** `done` is called once. */
type ReadBody = (limits: BodyLimits, lease: Lease, done: (body: Result<RequestBody>) => void) => void

/**
 * Reads the body as JSON within its limits. It counts in the budget of all bodies until the exchange ends, which
 * releases its lease: `hold` receives it.
 */
export function receive(
  { bodies, config: { limits } }: BodyLimiter,
  read: ReadBody,
  hold: (lease: Lease) => void,
): Promise<Result<Received>> {
  const lease = bodies.lease()
  hold(lease)
  return new Promise((resolve, reject) => {
    read({ bytes: limits.request_body_bytes, values: limits.request_values }, lease, (found) => {
      try {
        resolve(found.ok ? runInSlices(parse(found.value, limits, lease)) : found)
      } catch (bug) {
        reject(bug)
      }
    })
  })
}

function* parse(found: RequestBody, limits: Config['limits'], lease: Lease): Steps<Result<Received>> {
  const parsed = yield* parseBodyPieces(found.bytes, found.cuts)
  if (!parsed.ok) return parsed
  const fault = checkSize(parsed.body, toRequestLimits(limits))
  if (fault !== null) return err(fault)
  const kept = keptCostOf(found)
  return ok({ body: parsed.body, size: found.size, onWritten: () => void lease.resize(kept) })
}

export const toRequestLimits = (limits: Config['limits']): RequestLimits => ({
  values: limits.request_values,
  items: limits.request_items,
  parts: limits.request_content_parts,
  tools: limits.request_tools,
})
