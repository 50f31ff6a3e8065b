import { expect } from 'vitest'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import { runSteps } from '../../../src/text/steps.ts'
import { validateRequest } from '../../../src/validation/request.ts'
import { messagesClient } from '../../../src/wires/anthropic-messages/client/index.ts'
import type { DecodeContext } from '../../../src/wires/client-contract.ts'
import { FOREIGN_ENVELOPE } from './client-bodies.ts'

/** Requests of Anthropic clients, decoded to requests of the Responses API. */

export const USER_TURN = [{ role: 'user', content: 'Hi' }]

export const FUNCTION = { name: 'f', description: 'D', input_schema: { type: 'object', properties: {} } }

export const decode = (fields: object, asking: DecodeContext = FOREIGN_ENVELOPE) =>
  runSteps(
    messagesClient.decodeRequest(
      { model: 'acme/claude-x', max_tokens: 1000, messages: USER_TURN, ...fields } as JsonObject,
      asking,
    ),
  )

export function decoded(fields: object, asking?: DecodeContext) {
  const result = decode(fields, asking)
  if (!result.ok) throw new Error(result.error.message)
  expect(validateRequest(result.body)).toMatchObject({ ok: true })
  return result
}

/** Returns the body without the fields that every body here has. */
export function bodyOf(fields: object, asking?: DecodeContext): JsonObject {
  const { model: _, input: __, stream: ___, max_output_tokens: ____, ...rest } = decoded(fields, asking).body
  return rest
}

export const lossesOf = (fields: object, asking?: DecodeContext): readonly string[] =>
  decoded(fields, asking).losses.map(({ path, action }) => `${path} ${action}`)

/** Returns the items that a message becomes. */
export const inputOf = (role: string, content: unknown, asking?: DecodeContext): readonly Json[] =>
  (decoded({ messages: [{ role, content }] }, asking).body.input ?? []) as readonly Json[]
