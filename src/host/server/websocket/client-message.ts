import type { Lease } from '../../../gateway/body/body-budget.ts'
import { bodyCostOf, keptCostOf, scanMessage } from '../../../gateway/body/body-intake.ts'
import type { Config } from '../../../gateway/config/config.ts'
import { runInSlices } from '../../../gateway/run-in-slices.ts'
import { clientError } from '../../../protocol/error.ts'
import { err, ok, type Result } from '../../../protocol/result.ts'
import { parseBodyPieces } from '../../../validation/body.ts'
import { describeValue } from '../../../validation/messages.ts'

type Fields = Readonly<Record<string, unknown>>

export interface ClientMessage {
  readonly type: string
  /** The lane of a request; null for the lane without a name. */
  readonly streamId: string | null
  /** Every member but `type` and `stream_id`. */
  readonly fields: Fields
  /** Bytes of the message. */
  readonly size: number
  /** The cost in memory of the message, and once it was sent to its upstream. */
  readonly cost: number
  readonly keptCost: number
}

/** Reads a message within the limits of bodies. `maxBytes`: the limit of its size. */
export async function readClientMessage(
  bytes: Uint8Array,
  { limits, maxBytes }: { readonly limits: Config['limits']; readonly maxBytes: number },
  lease: Lease,
): Promise<Result<ClientMessage>> {
  const found = await runInSlices(scanMessage(bytes, { bytes: maxBytes, values: limits.request_values }, lease))
  if (!found.ok) return found
  const parsed = await runInSlices(parseBodyPieces(found.value.bytes, found.value.cuts))
  if (!parsed.ok) return parsed
  const { type, stream_id, ...fields } = parsed.body
  const streamId = toStreamId(stream_id)
  if (!streamId.ok) return streamId
  const { size, values } = found.value
  const costs = { cost: bodyCostOf(size, values), keptCost: keptCostOf(found.value) }
  return ok({ type: toType(type), streamId: streamId.value, fields, size, ...costs })
}

const toType = (type: unknown): string => (typeof type === 'string' ? type : '')

const STREAM_ID = /^[\w.-]{1,256}$/

function toStreamId(given: unknown): Result<string | null> {
  if (given === undefined || given === null) return ok(null)
  if (typeof given === 'string' && STREAM_ID.test(given)) return ok(given)
  const message = `stream_id: expected 1 to 256 letters, digits, "_", "-" and ".", got ${describeValue(given)}`
  return err(clientError('invalid_stream_id', message, 'stream_id'))
}
