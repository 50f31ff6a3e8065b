import type { FinishReason } from '../../../protocol/delta.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { costOf, toLifetimeFields, type Usage } from '../../../protocol/usage.ts'
import type { MessagesEvent } from '../json.ts'
import { toUsageFields } from '../served.ts'
import { LIFETIME_FIELDS } from '../terms.ts'
import type { EncoderProgress } from './state.ts'

/** Usage before any count is known. Input and output are numbers, because clients add them up. */
const UNKNOWN: JsonObject = {
  input_tokens: 0,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  output_tokens: 0,
}

/**
 * Usage before the first output of the upstream: some clients (LangChain) read the input tokens from no other event.
 */
function earlyUsage(usage: Usage | null): JsonObject {
  if (usage === null) return UNKNOWN
  const { output_tokens_details: _, ...counts }: JsonObject = toTheirs(usage)
  return { ...counts, input_tokens: counts.input_tokens ?? 0 }
}

export const startEvent = (id: string, { model, usage, served }: EncoderProgress): MessagesEvent => ({
  type: 'message_start',
  message: {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...earlyUsage(usage), ...toUsageFields(served) },
  },
})

/**
 * Converts usage to the counts of this API, whose input excludes tokens read from and written to the cache. The three
 * always add up to the input that the upstream reports, even if it reports more cache tokens than that.
 */
function toTheirs(usage: Usage) {
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens } = usage
  const most = input_tokens ?? Number.POSITIVE_INFINITY
  const read = cached_tokens === null ? null : Math.min(cached_tokens, most)
  // Cache writes are reported only as a part of a known input.
  const writes = cache_write_tokens === undefined || input_tokens === null ? null : cache_write_tokens
  const written = writes === null ? null : Math.min(writes, most - (read ?? 0))
  const creation = written === writes ? toLifetimeFields(usage, LIFETIME_FIELDS) : null
  return {
    input_tokens: input_tokens === null ? null : input_tokens - (read ?? 0) - (written ?? 0),
    cache_creation_input_tokens: written,
    ...(creation === null ? {} : { cache_creation: creation }),
    cache_read_input_tokens: read,
    output_tokens: output_tokens ?? 0,
    ...(reasoning_tokens === null ? {} : { output_tokens_details: { thinking_tokens: reasoning_tokens } }),
  }
}

function usageOf({ usage, searches, served }: EncoderProgress): JsonObject {
  // Routers report the price of a request beside its counts, also in this protocol.
  const cost = costOf(usage?.cost)
  const counts = { ...(usage === null ? { output_tokens: 0 } : toTheirs(usage)), ...cost, ...toUsageFields(served) }
  const web_search_requests = usage?.details?.web_search_requests ?? searches
  const web_fetch_requests = usage?.details?.web_fetch_requests ?? 0
  return web_search_requests + web_fetch_requests === 0
    ? counts
    : { ...counts, server_tool_use: { web_search_requests, web_fetch_requests } }
}

const STOP_SEQUENCE = 'stop_sequence'

/**
 * Any refusal ends with `refusal`, independent of the upstream's finish reason. `tool_use` means that there are calls
 * and that all of them are complete.
 */
function stopReason(reason: FinishReason, { refusal, called, broken, served }: EncoderProgress): string {
  if (reason === 'content_filter' || refusal !== '') return 'refusal'
  if (reason === 'max_output_tokens' || broken) return 'max_tokens'
  if (called) return 'tool_use'
  return served.stop_sequence === undefined ? 'end_turn' : STOP_SEQUENCE
}

export function endEvents(reason: FinishReason, progress: EncoderProgress): readonly MessagesEvent[] {
  const { refusal, served } = progress
  const category = served.refusal_category ?? null
  const { fallback_credit_token: token, fallback_has_prefill_claim: claim } = served
  const details = {
    stop_details: {
      type: 'refusal',
      category,
      explanation: refusal === '' ? null : refusal,
      ...(token === undefined ? {} : { fallback_credit_token: token }),
      ...(claim === undefined ? {} : { fallback_has_prefill_claim: claim === 'true' }),
    },
  }
  const stop_reason = stopReason(reason, progress)
  const why = { stop_reason, stop_sequence: stop_reason === STOP_SEQUENCE ? (served.stop_sequence ?? null) : null }
  const delta = refusal === '' && category === null && token === undefined ? why : { ...why, ...details }
  return [{ type: 'message_delta', delta, usage: usageOf(progress) }, { type: 'message_stop' }]
}
