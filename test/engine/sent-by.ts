import { expect } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { ClientWireName } from '../../src/wires/names.ts'

/** The body that an upstream receives, and its losses as `path action`. */
export interface Sent {
  readonly body: JsonObject
  readonly losses: readonly string[]
  /** The edits of a body that was passed through; null if it was translated. */
  readonly edits: readonly string[] | null
}

/** Sends a client's body to a vendor. `client`: the Responses API, or the wire of a client. */
export function sentBy(client: ClientWireName | 'openai', vendor: string, model: string, body: object): Sent {
  const named = client === 'gemini-generate' ? body : { model: 'a/m', ...body }
  const got = explainRequest(named, { client, vendor, model })
  if (!got.ok) return expect.unreachable(got.error.message)
  const losses = got.losses.map(({ path, action }) => `${path} ${action}`)
  return { body: got.upstream, losses, edits: got.edits ?? null }
}
