import { expect } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { planRequest, readSearch } from '../../src/engine/call/plan-search.ts'
import { type ClientProtocol, type ClientRequest, readClientRequest } from '../../src/engine/client-request.ts'
import {
  encodeUpstreamCall,
  originOf,
  routeRequest,
  type UpstreamCall,
  type UpstreamRoute,
} from '../../src/engine/upstream-call.ts'
import type { Result } from '../../src/protocol/result.ts'
import type { SearchPolicy } from '../../src/search/plan.ts'
import { runSteps } from '../../src/text/steps.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'

const NO_ENGINES: SearchPolicy = {
  available: { defaultEngine: null, engines: [] },
  config: { citations: 'links', max_results: 5, max_searches: 10 },
}

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

function planned(client: ClientRequest, route: UpstreamRoute): Result<ClientRequest> {
  const reading = readSearch(client)
  if (!reading.ok) return reading
  const plan = planRequest(client, reading.value, route, NO_ENGINES)
  return plan.ok ? { ok: true, value: plan.value.client } : plan
}

/** The call that an upstream receives for a client's body. */
export function encodeFrom(
  body: unknown,
  protocol: ClientProtocol,
  route: UpstreamRoute,
  headers: Readonly<Record<string, string>> = {},
): Result<UpstreamCall> {
  const read = runSteps(readClientRequest(body, protocol))
  const client = read.ok ? planned(read.value, route) : read
  return client.ok ? runSteps(encodeUpstreamCall(routeRequest(client.value, route, headers))) : client
}
