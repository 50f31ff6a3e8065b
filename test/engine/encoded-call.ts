import { expect } from 'vitest'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { openai } from '../../src/dialects/openai.ts'
import { type ClientRequest, readClientRequest } from '../../src/engine/client-request.ts'
import {
  encodeUpstreamCall,
  type RoutedRequest,
  routeRequest,
  type UpstreamCall,
  type UpstreamRoute,
} from '../../src/engine/upstream-call.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import { err, type Result } from '../../src/protocol/result.ts'
import { runSteps } from '../../src/text/steps.ts'
import { routeTo } from './encode-from.ts'

/** Requests of Responses clients, as an upstream receives them from the hub. */

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of bodies of every wire
export type Loose = any

/** A request that no other protocol can carry is an error. */
export function readRequest(body: object, dialect: Dialect = openai): Result<ClientRequest> {
  const read = runSteps(readClientRequest({ model: 'acme/m', input: 'Hi', ...body }, { dialect }))
  return read.ok && read.value.untranslatable !== null ? err(read.value.untranslatable) : read
}

export function routedTo(
  vendor: string,
  model: string,
  body: object,
  more: Partial<UpstreamRoute> = {},
): RoutedRequest {
  const read = readRequest(body)
  if (!read.ok) return expect.unreachable(read.error.message)
  return routeRequest(read.value, routeTo(vendor, model, { passthrough: false, ...more }))
}

export function callOf(vendor: string, model: string, body: object, more: Partial<UpstreamRoute> = {}): UpstreamCall {
  const call = runSteps(encodeUpstreamCall(routedTo(vendor, model, body, more)))
  return call.ok ? call.value : expect.unreachable(call.error.message)
}

/** The body for the upstream, and the losses as lines. */
export function encodedFor(vendor: string, model: string, body: object, more: Partial<UpstreamRoute> = {}) {
  const call = callOf(vendor, model, body, more)
  return { body: call.body as Loose, losses: call.losses.map(formatLoss) }
}
