import { expect } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { type ClientProtocol, planRequest, readClientRequest, readSearch } from '../../src/engine/client-request.ts'
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

/** An upstream of the client's own protocol whose requests the hub encodes. */

const NO_ENGINES: SearchPolicy = {
  available: { defaultEngine: null, engines: [] },
  config: { citations: 'links', max_results: 5, max_searches: 10 },
}

const MODELS = {
  'openai-chat': ['openai-chat', 'gpt-4o'],
  'anthropic-messages': ['anthropic', 'claude-opus-4-8'],
  'gemini-generate': ['google', 'gemini-3-pro'],
  'ollama-chat': ['ollama', 'qwen3'],
  'openai-responses': ['openai', 'gpt-6-codex'],
} as const satisfies Partial<Record<WireName, readonly [vendor: string, model: string]>>

export type SharedWire = keyof typeof MODELS

export const SHARED_WIRES = Object.keys(MODELS) as readonly SharedWire[]

export function hubRoute(wire: SharedWire, more: Partial<UpstreamRoute> = {}): UpstreamRoute {
  const [vendor, model] = MODELS[wire]
  const row = findVendor(vendor) ?? expect.unreachable(vendor)
  return {
    wire: WIRES[wire],
    quirks: row.quirks,
    vendor,
    model,
    baseUrl: row.baseUrl ?? 'https://upstream.test',
    key: null,
    headers: {},
    passthrough: false,
    ...more,
  }
}

const protocolOf = (wire: SharedWire, route: UpstreamRoute): ClientProtocol =>
  wire === 'openai-responses'
    ? { dialect: openai }
    : {
        wire: { name: wire, client: WIRES[wire].client ?? expect.unreachable(wire) },
        sealing: { origin: originOf(route) },
        model: wire === 'gemini-generate' ? 'acme/m' : null,
        stream: wire === 'gemini-generate' ? true : null,
      }

/** The call that the hub encodes for a client's body. */
export function encodeOwn(wire: SharedWire, body: unknown, more: Partial<UpstreamRoute> = {}): Result<UpstreamCall> {
  const route = hubRoute(wire, more)
  const read = runSteps(readClientRequest(body, protocolOf(wire, route)))
  if (!read.ok) return read
  const reading = readSearch(read.value)
  if (!reading.ok) return reading
  const planned = planRequest(read.value, reading.value, route, NO_ENGINES)
  return planned.ok ? runSteps(encodeUpstreamCall(routeRequest(planned.value.client, route))) : planned
}
