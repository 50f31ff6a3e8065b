import { runInSteps } from '../../../machine/run.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { toClientArguments } from '../../../responses/call-arguments.ts'
import { runSteps, type Steps } from '../../../text/steps.ts'
import type { ClientCodec, EncodeContext } from '../../client-contract.ts'
import { withoutBroken } from '../../shared/client/broken-calls.ts'
import { serializeItems } from '../../shared/client/serialize-items.ts'
import type { BlockDelta, MessagesEvent } from '../json.ts'
import { withRuns } from './citations.ts'
import { withTitles } from './search-results.ts'
import { messageEvents } from './stream.ts'

/** A block of which further deltas may follow. */
interface Growing {
  readonly block: JsonObject
  /** The text, reasoning or JSON of its deltas so far. */
  readonly text: string
  readonly signature: string
  /** Mutable: deltas append to it. */
  readonly citations: JsonObject[]
}

function grown(growing: Growing, delta: BlockDelta): Growing {
  switch (delta.type) {
    case 'text_delta':
      return { ...growing, text: growing.text + delta.text }
    case 'thinking_delta':
      return { ...growing, text: growing.text + delta.thinking }
    case 'input_json_delta':
      return { ...growing, text: growing.text + delta.partial_json }
    case 'compaction_delta':
      return {
        ...growing,
        block:
          delta.encrypted_content === undefined
            ? growing.block
            : { ...growing.block, encrypted_content: delta.encrypted_content },
        text: growing.text + (delta.content ?? ''),
      }
    case 'signature_delta':
      return { ...growing, signature: delta.signature }
    case 'citations_delta':
      growing.citations.push(delta.citation)
      return growing
  }
}

function whole({ block, text, signature, citations }: Growing): JsonObject {
  switch (block.type) {
    case 'text':
      return citations.length === 0 ? { ...block, text } : { ...block, text, citations }
    case 'thinking':
      return { ...block, thinking: text, signature }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return { ...block, input: toClientArguments(text) ?? {} }
    case 'compaction':
      return { ...block, content: text === '' ? null : text }
    default:
      return block
  }
}

/** Builds a message from the events of its stream. */
function collectMessage(events: readonly MessagesEvent[]): JsonObject {
  const content: JsonObject[] = []
  let message: JsonObject = {}
  let growing: Growing | null = null
  for (const event of events) {
    switch (event.type) {
      case 'message_start':
        message = event.message
        break
      case 'content_block_start':
        growing = { block: event.content_block, text: '', signature: '', citations: [] }
        break
      case 'content_block_delta':
        growing = growing === null ? null : grown(growing, event.delta)
        break
      case 'content_block_stop':
        if (growing !== null) content.push(whole(growing))
        break
      case 'message_delta':
        message = {
          ...message,
          ...event.delta,
          usage: { ...(message.usage as JsonObject), ...knownCounts(event.usage) },
        }
        break
    }
  }
  return { ...message, content }
}

/** An unknown count does not replace a known one. */
const knownCounts = (usage: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(usage).filter((entry: readonly [string, Json]) => entry[1] !== null))

/** Collects the events of a stream into one message. All citations are known, and incomplete calls are left out. */
export const encodeBody: ClientCodec['encodeBody'] = (deltas, context) => runSteps(encodeBodyInSteps(deltas, context))

/** Does the same work in slices. */
export function* encodeBodyInSteps(deltas: readonly Delta[], context: EncodeContext): Steps<JsonObject> {
  const inOrder = yield* runInSteps(serializeItems, withoutBroken(deltas))
  const message = collectMessage(yield* runInSteps(messageEvents(context), withRuns(withTitles(inOrder))))
  // A stream names the first model at its beginning. A whole message names the one that answered.
  const named = deltas.findLast((delta) => delta.kind === 'start')
  return { ...message, model: named?.model || context.model }
}
