import { listToArray } from '../../../collections/list.ts'
import { runInSteps } from '../../../machine/run.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import type { Served } from '../../../protocol/served.ts'
import type { Usage } from '../../../protocol/usage.ts'
import { runSteps, type Steps } from '../../../text/steps.ts'
import type { EncodeContext } from '../../client-contract.ts'
import type { ChatDelta, ChatFunction, ChatToolCall } from '../json.ts'
import { type Detail, mergeDetails, NO_ENTRIES } from '../sealed-reasoning.ts'
import { finishWord } from '../terms.ts'
import { toChatServed, toChatUsage } from '../usage.ts'
import { type ChunkPart, encodeParts } from './chunk-parts.ts'
import { toStreamSettings } from './stream-settings.ts'

const FILTERED = finishWord('content_filter', false, false)

/** The message of a whole completion, with the fields beside it. */
interface Gathered {
  readonly message: JsonObject
  readonly logprobs: { readonly content: readonly Logprob[]; readonly refusal: null } | null
  readonly finish: string
  readonly served: Served
  readonly usage: Usage | null
}

const textOf = (deltas: readonly ChatDelta[], field: 'content' | 'refusal' | 'reasoning_content'): string =>
  deltas
    .map((delta) => delta[field])
    .map((text) => (typeof text === 'string' ? text : ''))
    .join('')

const listOf = (deltas: readonly ChatDelta[], field: 'annotations' | 'images'): readonly unknown[] =>
  deltas.flatMap((delta) => [...(delta[field] ?? [])])

interface Call {
  readonly head: ChatToolCall
  readonly pieces: string[]
}

/** Joins the fragments of each call's arguments. */
function callsOf(deltas: readonly ChatDelta[]): readonly Json[] {
  const calls: Call[] = []
  for (const { index, ...call } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    const at = Number(index)
    const { extra_content, provider_specific_fields } = call
    const old = calls[at]
    // A signature may come behind the beginning of its call.
    const isSigned = extra_content !== undefined || provider_specific_fields !== undefined
    const head = old === undefined ? call : isSigned ? { ...old.head, ...call } : old.head
    const known: Call = { head, pieces: old?.pieces ?? [] }
    calls[at] = known
    known.pieces.push(`${call.function?.arguments ?? call.custom?.input ?? ''}`)
  }
  return calls.map(({ head, pieces }) => {
    const text = pieces.join('')
    return (
      head.custom === undefined
        ? { ...head, function: { name: head.function?.name, arguments: text } }
        : { ...head, custom: { name: head.custom?.name, input: text } }
    ) as Json
  })
}

function oldCallOf(deltas: readonly ChatDelta[]): ChatFunction | null {
  const pieces = deltas.flatMap(({ function_call: call }) => (call ? [call] : []))
  const args = pieces.map((call) => `${call.arguments ?? ''}`).join('')
  return pieces[0] === undefined ? null : { name: pieces[0].name ?? '', arguments: args }
}

const detailsOf = (deltas: readonly ChatDelta[]): readonly Detail[] =>
  listToArray(
    mergeDetails(
      NO_ENTRIES,
      deltas.flatMap((delta) => delta.reasoning_details ?? []),
    ).entries,
  )

/** An object with this field, or without it if the value is empty. */
const unlessEmpty = (name: string, value: unknown): JsonObject => {
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return isEmpty ? {} : { [name]: value as Json }
}

function toMessage(deltas: readonly ChatDelta[], finish: string): JsonObject {
  const content = textOf(deltas, 'content')
  const refusal = textOf(deltas, 'refusal')
  const calls = callsOf(deltas)
  const old = oldCallOf(deltas)
  const hasOther = refusal !== '' || calls.length > 0 || old !== null || finish === FILTERED
  return {
    role: 'assistant',
    content: content === '' && hasOther ? null : content,
    refusal: refusal === '' ? null : refusal,
    ...unlessEmpty('reasoning_content', textOf(deltas, 'reasoning_content')),
    ...unlessEmpty('reasoning_details', detailsOf(deltas)),
    ...unlessEmpty('annotations', listOf(deltas, 'annotations')),
    ...unlessEmpty('images', listOf(deltas, 'images')),
    ...unlessEmpty('tool_calls', calls),
    ...unlessEmpty('function_call', old),
  }
}

/** Joins all output of an answer in the way that clients join the chunks of a stream. */
function gatherParts(parts: readonly ChunkPart[]): Gathered {
  const pieces = parts.flatMap((it) => (it.kind === 'delta' ? [it] : []))
  const logprobs = pieces.flatMap((it) => it.logprobs ?? [])
  const finish = parts.find((it) => it.kind === 'finish')
  const usage = parts.find((it) => it.kind === 'usage')
  return {
    message: toMessage(
      pieces.map((it) => it.delta),
      finish?.word ?? 'stop',
    ),
    logprobs: logprobs.length === 0 ? null : { content: logprobs, refusal: null },
    finish: finish?.word ?? 'stop',
    served: finish?.served ?? {},
    usage: usage?.usage ?? null,
  }
}

/** Encodes a whole completion by joining the output of its stream. */
export const encodeBody = (deltas: readonly Delta[], context: EncodeContext): JsonObject =>
  runSteps(encodeBodyInSteps(deltas, context))

/** The same in slices. */
export function* encodeBodyInSteps(deltas: readonly Delta[], context: EncodeContext): Steps<JsonObject> {
  const parts = yield* runInSteps(encodeParts(context, toStreamSettings(context.settings)), deltas)
  const { message, logprobs, finish, served, usage } = gatherParts(parts)
  const { answer, choice } = toChatServed(served)
  const named = deltas.findLast((delta) => delta.kind === 'start')
  return {
    id: `chatcmpl-${context.id}`,
    object: 'chat.completion',
    created: context.created_at,
    model: named?.model || context.model,
    choices: [{ index: 0, message, logprobs: logprobs as unknown as Json, finish_reason: finish, ...choice }],
    ...answer,
    ...(usage === null ? {} : { usage: toChatUsage(usage) }),
  }
}
