import { expect } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { readSearch } from '../../src/engine/call/read-search.ts'
import { type ClientProtocol, readClientRequest } from '../../src/engine/client-request.ts'
import { NO_ENGINES } from '../../src/engine/passes/search.ts'
import {
  encodeUpstreamCall,
  originOf,
  routeRequest,
  type UpstreamCall,
  type UpstreamRoute,
} from '../../src/engine/upstream-call.ts'
import type { Result } from '../../src/protocol/result.ts'
import { runSteps } from '../../src/text/steps.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'

/** The route to the first address of a vendor. */
export const routeTo = (vendor: string, model: string, more: Partial<UpstreamRoute> = {}): UpstreamRoute => {
  const row = findVendor(vendor) ?? expect.unreachable(vendor)
  return {
    wire: WIRES[row.wire],
    quirks: row.quirks,
    vendor,
    model,
    baseUrl: row.baseUrl ?? 'https://upstream.test',
    key: null,
    headers: {},
    ...more,
  }
}

/** The protocol of a client of this wire. */
export const protocolOf = (wire: WireName, route: UpstreamRoute): ClientProtocol =>
  wire === 'openai-responses'
    ? { dialect: openai }
    : {
        wire: { name: wire, client: WIRES[wire].client ?? expect.unreachable(wire) },
        sealing: { origin: originOf(route) },
        model: wire === 'gemini-generate' ? 'acme/m' : null,
        stream: wire === 'gemini-generate' ? true : null,
      }

/** The call that an upstream receives for a client's body. */
export function encodeFrom(
  body: unknown,
  protocol: ClientProtocol,
  route: UpstreamRoute,
  headers: Readonly<Record<string, string>> = {},
): Result<UpstreamCall> {
  const read = runSteps(readClientRequest(body, protocol))
  if (!read.ok) return read
  const parsed = readSearch(read.value)
  if (!parsed.ok) return parsed
  const search = { parsed: parsed.value, policy: NO_ENGINES }
  return runSteps(encodeUpstreamCall(routeRequest(read.value, route, headers, search)))
}
