import { findDialect } from '../../dialects/registry.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import { isUnaddressed, type Request, type Tool } from '../../protocol/request.ts'
import { runSteps, type Steps } from '../../text/steps.ts'
import { type Encoded, RESPONSES_WIRE, type UpstreamContext, type Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { withCustomTools } from '../../wires/shared/upstream/client-tools/custom-tools.ts'
import { CLIENT_TOOL_NAMES, type ClientToolName } from '../../wires/shared/upstream/client-tools/table.ts'
import { withClientTools } from '../../wires/shared/upstream/client-tools/wire.ts'
import type { ClientRequest } from '../client-request.ts'
import { withCompaction } from '../compaction/compact-conversation.ts'
import { withLastSettings } from './input-changes/settings.ts'
import { withInputChanges } from './input-changes/wire.ts'
import { responsesFieldLosses } from './responses-fields.ts'

/** Returns the wire for one request: features that its upstream lacks are sent in another form, or are losses. */
export function adaptWire(wire: Wire, client: ClientRequest, quirks: Quirks): Wire {
  const { request, sent } = client
  const custom = withCustomTools(wire, request, quirks)
  const adapted = sent.wire === wire.name ? custom : withoutResponsesFields(custom)
  // Calls of such tools are items, which only clients of this dialect receive.
  const hasItems = sent.dialect !== null && findDialect(sent.dialect)?.items.includes('shell_call') === true
  const withTools = hasItems ? withClientTools(adapted, request, lackingTools(wire, quirks)) : adapted
  const compacted = withCompaction(withTools, client, quirks)
  return sent.wire === RESPONSES_WIRE || wire.name === RESPONSES_WIRE
    ? withInputChanges(compacted, request, quirks, hasItems)
    : compacted
}

/** Servers of the Responses API have the tools of its clients, but not all of them search tools. */
function lackingTools({ name }: Wire, { changesInInput = [] }: Quirks): readonly ClientToolName[] {
  if (name !== RESPONSES_WIRE) return CLIENT_TOOL_NAMES
  return changesInInput.includes('tool_search') ? [] : ['tool_search']
}

/** A deferred tool could never be found without a search of tools. */
const atOnce = (tool: Tool): Tool =>
  tool.type === 'hosted' || tool.deferred !== true ? tool : { ...tool, deferred: false }

/** Wires by the wire that they were made from. Each generator function of a request would have a hidden class. */
const WITHOUT_RESPONSES_FIELDS = new WeakMap<Wire, Wire>()

/** Records the fields that only the Responses API has as losses of every other wire. */
function withoutResponsesFields(wire: Wire): Wire {
  if (wire.name === RESPONSES_WIRE) return wire
  const made = WITHOUT_RESPONSES_FIELDS.get(wire) ?? recordingResponsesFields(wire)
  WITHOUT_RESPONSES_FIELDS.set(wire, made)
  return made
}

function recordingResponsesFields(wire: Wire): Wire {
  function* encodeSteps(request: Request, target: UpstreamContext): Steps<Encoded> {
    const error = unaddressedOutput(request)
    if (error !== null) return { ok: false, error }
    const encoded = yield* wire.encodeSteps({ ...request, tools: request.tools.map(atOnce) }, target)
    if (!encoded.ok) return encoded
    const known = new Set(encoded.losses.map(({ path }) => path))
    const losses = responsesFieldLosses(request).filter(({ path }) => !known.has(path))
    return losses.length > 0 ? { ...encoded, losses: [...losses, ...encoded.losses] } : encoded
  }
  return { ...wire, encodeSteps, encodeRequest: (request, target) => runSteps(encodeSteps(request, target)) }
}

/** Returns an error for an output that belongs to no call: without it, the model would answer something else. */
function unaddressedOutput({ input }: Request): GatewayError | null {
  const at = input.findIndex((item) => item.type === 'other' && isUnaddressed(item.item))
  if (at < 0) return null
  const path = `input[${at}].call_id`
  const message = `${path}: no earlier call without an output has the name of this output, and this upstream needs its id; send it`
  return clientError('invalid_prompt', message, path)
}

/** Sets the quirks that depend on the request. */
export function quirksOfAnswer(request: Request, quirks: Quirks): Quirks {
  const format = withLastSettings(request).text?.format?.type ?? 'text'
  return format === 'text' ? quirks : { ...quirks, jsonAnswer: true }
}
