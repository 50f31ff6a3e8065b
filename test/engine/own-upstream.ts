import type { UpstreamCall, UpstreamRoute } from '../../src/engine/upstream-call.ts'
import type { Result } from '../../src/protocol/result.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { encodeFrom, protocolOf, routeTo } from './encode-from.ts'

/** An upstream of the client's own protocol whose requests the hub encodes. */

const MODELS = {
  'openai-chat': ['openai-chat', 'gpt-4o'],
  'anthropic-messages': ['anthropic', 'claude-opus-4-8'],
  'gemini-generate': ['google', 'gemini-3-pro'],
  'ollama-chat': ['ollama', 'qwen3'],
  'openai-responses': ['openai', 'gpt-6-codex'],
} as const satisfies Partial<Record<WireName, readonly [vendor: string, model: string]>>

export type SharedWire = keyof typeof MODELS

export const SHARED_WIRES = Object.keys(MODELS) as readonly SharedWire[]

/** The bodies have JSON output beside a forced function, which Gemini refuses. */
const FITTING = { '*': { jsonWithTools: 'all' } } as const

export function hubRoute(wire: SharedWire, more: Partial<UpstreamRoute> = {}): UpstreamRoute {
  const [vendor, model] = MODELS[wire]
  const route = routeTo(vendor, model, { wire: WIRES[wire], passthrough: false, ...more })
  return { ...route, quirks: { ...route.quirks, modelFacts: FITTING } }
}

/** The call that the hub encodes for a client's body. */
export function encodeOwn(wire: SharedWire, body: unknown, more: Partial<UpstreamRoute> = {}): Result<UpstreamCall> {
  const route = hubRoute(wire, more)
  return encodeFrom(body, protocolOf(wire, route), route)
}
