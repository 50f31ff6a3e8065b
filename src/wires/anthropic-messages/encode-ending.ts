import type { FinishReason } from '../../protocol/delta.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Usage } from '../../protocol/usage.ts'
import type { Story } from './encode-story.ts'
import type { MessagesEvent } from './wire.ts'

/** Where nothing is known yet; clients count with numbers all the same. */
const UNKNOWN: JsonObject = {
  input_tokens: 0,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  output_tokens: 0,
}

/** The counts before the first word of the upstream: some clients read the input tokens nowhere else (LangChain). */
function earlyUsage(usage: Usage | null): JsonObject {
  if (usage === null) return UNKNOWN
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = toTheirs(usage)
  return { input_tokens: input_tokens ?? 0, cache_creation_input_tokens, cache_read_input_tokens, output_tokens }
}

export const startEvent = (id: string, { model, usage }: Story): MessagesEvent => ({
  type: 'message_start',
  message: {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: earlyUsage(usage),
  },
})

/**
 * Input without what was read from the cache and written to it, as this family counts. The sum is what an upstream says
 * of its input, even where it says that there was more to do with its cache.
 */
function toTheirs({ input_tokens, output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens }: Usage) {
  const most = input_tokens ?? Number.POSITIVE_INFINITY
  const read = cached_tokens === null ? null : Math.min(cached_tokens, most)
  // What is written is part of an input that is known.
  const writes = cache_write_tokens === undefined || input_tokens === null ? null : cache_write_tokens
  const written = writes === null ? null : Math.min(writes, most - (read ?? 0))
  return {
    input_tokens: input_tokens === null ? null : input_tokens - (read ?? 0) - (written ?? 0),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: output_tokens ?? 0,
    ...(reasoning_tokens === null ? {} : { output_tokens_details: { thinking_tokens: reasoning_tokens } }),
  }
}

function usageOf({ usage, searches }: Story): JsonObject {
  const counts = usage === null ? { output_tokens: 0 } : toTheirs(usage)
  const served = { server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } }
  return searches === 0 ? counts : { ...counts, ...served }
}

/** A refusal is one, however its vendor says that it ended; the reason to call tools is that there are calls, all whole. */
function stopReason(reason: FinishReason, { refusal, called, broken }: Story): string {
  if (reason === 'content_filter' || refusal !== '') return 'refusal'
  if (reason === 'max_output_tokens' || broken) return 'max_tokens'
  return called ? 'tool_use' : 'end_turn'
}

export function endEvents(reason: FinishReason, story: Story): readonly MessagesEvent[] {
  const { refusal } = story
  const details = { stop_details: { type: 'refusal', category: null, explanation: refusal } }
  const why = { stop_reason: stopReason(reason, story), stop_sequence: null }
  const delta = refusal === '' ? why : { ...why, ...details }
  return [{ type: 'message_delta', delta, usage: usageOf(story) }, { type: 'message_stop' }]
}
