import { listAt, listToArray } from '../machine/list.ts'
import type { Item, ItemStatus } from '../protocol/item.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { IncompleteReason, Response, ResponseStatus } from '../protocol/response.ts'
import { lookup } from '../text/lookup.ts'
import { toMessageParts, toSummary, toThoughts } from './events.ts'
import type { ItemState, Story } from './state.ts'

/** Returns the item in its present state. */
export function toItem(state: ItemState, status: ItemStatus): Item {
  const { id, type, parts, call } = state
  switch (type) {
    case 'message':
      return { type, id, status, role: 'assistant', content: toMessageParts(parts) }
    case 'reasoning':
      return { type, id, summary: toSummary(parts), content: toThoughts(parts), encrypted_content: state.sealed }
    case 'function_call':
      return {
        type,
        id,
        call_id: call?.callId ?? '',
        name: call?.name ?? '',
        ...namespaceOf(state),
        arguments: listAt(parts, 0)?.text ?? '',
        status,
      }
    case 'custom_tool_call':
      return {
        type,
        id,
        call_id: call?.callId ?? '',
        name: call?.name ?? '',
        ...namespaceOf(state),
        input: listAt(parts, 0)?.text ?? '',
        status,
      }
    default:
      return { type, id, status: hostedStatus(state, status), fields: hostedFields(state) }
  }
}

const namespaceOf = ({ call }: ItemState): { readonly namespace?: string } =>
  call === null || call.namespace === null ? {} : { namespace: call.namespace }

const hostedFields = ({ hosted, sealed }: ItemState): JsonObject =>
  sealed === null ? (hosted?.fields ?? {}) : { ...hosted?.fields, encrypted_content: sealed }

/**
 * Final statuses of a hosted item that has ended: it is no longer in progress, and the answer was not cut inside it.
 */
const ENDED: Readonly<Record<string, string>> = { in_progress: 'completed', incomplete: 'failed' }

function hostedStatus(state: ItemState, status: ItemStatus): string {
  const told = state.hosted?.status ?? status
  return status === 'completed' ? (lookup(ENDED, told) ?? told) : status
}

/** Returns the response object in its present state. */
export function toResponse(story: Story, status: ResponseStatus): Response {
  const { head } = story
  const over = status !== 'in_progress'
  return {
    id: head.id,
    object: 'response',
    created_at: head.created_at,
    completed_at: null,
    status,
    model: modelOf(story),
    output: over ? listToArray(story.items).flatMap(({ item }) => (item === null ? [] : [item])) : [],
    usage: over ? story.usage : null,
    error: status === 'failed' ? errorOf(story) : null,
    incomplete_details: status === 'incomplete' ? { reason: reasonOf(story) } : null,
    previous_response_id: null,
    store: false,
    background: false,
    ...head.echo,
  }
}

/** Returns the name of the answering model, in the form that the head requests. */
function modelOf({ head: { model: asked, reported = 'alone' }, model }: Story): string {
  if (reported === 'alone' || model === asked) return model
  return reported === 'ignored' ? asked : asked.slice(0, asked.indexOf('/') + 1) + model
}

const errorOf = ({ error }: Story): Response['error'] =>
  error === null ? null : { code: error.code, message: error.message }

const reasonOf = ({ finish }: Story): IncompleteReason =>
  finish === 'content_filter' ? 'content_filter' : 'max_output_tokens'
