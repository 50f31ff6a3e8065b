import type { GatewayError } from '../../protocol/error.ts'
import type { Wire } from '../../wires/contract.ts'
import type { ClientRequest } from '../client-request.ts'

/** The error of a request that the hub cannot encode for an upstream of this wire; null if it can. */
export const translationFault = (
  { untranslatable, required, sent }: ClientRequest,
  { name }: Pick<Wire, 'name'>,
): GatewayError | null => untranslatable ?? (sent.wire === name ? null : (required?.error ?? null))
