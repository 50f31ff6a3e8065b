import type { Json } from '../../src/protocol/json.ts'
import { type Origin, sealReasoning } from '../../src/responses/encrypted-content.ts'
import type { UpstreamContext, WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { openReasoning } from '../responses/open-reasoning.ts'

const originOf = (wire: WireName, model: string): Origin => ({ wire, vendor: 'acme', model })

/** Returns the target of an encoded request: a vendor of that wire. */
export const targetOf = (wire: WireName, quirks: Quirks = {}, model = 'some-model'): UpstreamContext => ({
  model,
  quirks,
  open: (sealed) => openReasoning(originOf(wire, model), sealed),
})

/** Returns the vendor's payload as clients receive it, in an envelope. */
export const sealed = (wire: WireName, payload: Json, model = 'some-model'): string =>
  sealReasoning(originOf(wire, model), payload)
