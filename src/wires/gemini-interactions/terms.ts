import type { FinishReason } from '../../protocol/delta.ts'
import type { JsonRecord } from '../../protocol/json.ts'
import { isNonEmptyString } from '../../text/json.ts'
import type { FieldPathMap } from '../shared/client/source-map.ts'

/**
 * `status` → how the response ends; `failed`: it failed; `open`: it has not ended. Another word is a normal end of a
 * response with output, and a loss; a response without output is failed then.
 */
export const STATUSES: Readonly<Record<string, FinishReason | 'failed' | 'open'>> = {
  completed: 'stop',
  requires_action: 'stop',
  incomplete: 'max_output_tokens',
  budget_exceeded: 'max_output_tokens',
  requires_continuation: 'max_output_tokens',
  failed: 'failed',
  cancelled: 'failed',
  queued: 'open',
  in_progress: 'open',
}

/** The types of events that are decoded, beside bare failures and whole bodies. */
export const EVENTS = [
  'interaction.created',
  'interaction.status_update',
  'interaction.queued',
  'interaction.in_progress',
  'interaction.requires_action',
  'step.start',
  'step.delta',
  'step.stop',
  'interaction.completed',
  'error',
] as const

export const EVENT_TYPES: ReadonlySet<string> = new Set(EVENTS)

/** Whether a value is a whole interaction. */
export const isBody = ({ object, steps, status }: JsonRecord): boolean =>
  object === 'interaction' || (Array.isArray(steps) && isNonEmptyString(status))

/** The status of an answer that waits for the results of calls. */
export const AWAITS_RESULTS = 'requires_action'

/** The kinds of items that hosted steps become, by the type of the step without `_call`. Others become an `mcp_call`. */
export const HOSTED_KINDS: Readonly<Record<string, 'search' | 'open' | 'files' | 'code' | 'mcp'>> = {
  google_search: 'search',
  google_maps: 'search',
  retrieval: 'search',
  url_context: 'open',
  file_search: 'files',
  code_execution: 'code',
  mcp_server_tool: 'mcp',
}

/** The client's names of the fields. */
export const FIELD_PATHS: FieldPathMap = {
  input: 'input',
  instructions: 'system_instruction',
  max_output_tokens: 'generation_config.max_output_tokens',
  temperature: 'generation_config.temperature',
  top_p: 'generation_config.top_p',
  stop: 'generation_config.stop_sequences',
  reasoning: 'generation_config.thinking_level',
  'reasoning.effort': 'generation_config.thinking_level',
  'reasoning.summary': 'generation_config.thinking_summaries',
  metadata: 'labels',
}

/** Members of a request that refer to stored state. */
export const STATE_MEMBERS = ['previous_interaction_id', 'continuation_token', 'cached_content', 'agent'] as const

/** Members of a request that only agents and stored interactions have. */
export const STATE_SETTINGS = ['agent_config', 'environment', 'webhook_config'] as const

/** Ids of steps that this gateway makes of other vendors' items. */
const MADE = /^tool_\d+$/

export const madeId = (number: number): string => `tool_${number}`

export const isMadeId = (id: unknown): boolean => typeof id === 'string' && MADE.test(id)

/** Returns the name of a model without the collection that other APIs of Google put before it. */
export const withoutCollection = (model: string): string => model.replace(/^models\//, '')
