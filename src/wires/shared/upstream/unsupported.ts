import { dropped, type Loss } from '../../../protocol/loss.ts'
import type { Request } from '../../../protocol/request.ts'
import { isObject } from '../../../text/json.ts'

/** A field that some wire cannot express. */
export type UnsupportedField =
  | 'frequency_penalty'
  | 'max_tool_calls'
  | 'metadata'
  | 'parallel_tool_calls'
  | 'plugins'
  | 'presence_penalty'
  | 'prompt_cache_key'
  | 'prompt_cache_retention'
  | 'safety_identifier'
  | 'service_tier'
  | 'text.verbosity'
  | 'top_logprobs'
  | 'truncation'
  | 'user'
  | 'x_search_filter'

/** Values that equal the default behaviour. Some clients always send them. */
const DEFAULT_VALUES: Readonly<Partial<Record<UnsupportedField, readonly unknown[]>>> = {
  frequency_penalty: [0],
  parallel_tool_calls: [true],
  presence_penalty: [0],
  // OpenAI spells it in two ways.
  prompt_cache_retention: ['in_memory', 'in-memory'],
  service_tier: ['auto', 'default'],
  'text.verbosity': ['medium'],
  top_logprobs: [0],
  truncation: ['disabled'],
}

/**
 * Whether a field with this value requests anything: null, an empty list, an empty object and a default value do not.
 */
export function hasEffect(name: UnsupportedField, value: unknown): boolean {
  if (value === null || (isObject(value) && Object.keys(value).length === 0)) return false
  if (Array.isArray(value) && value.length === 0) return false
  return DEFAULT_VALUES[name]?.includes(value) !== true
}

const requestedValue = (request: Request, name: UnsupportedField): unknown =>
  name === 'text.verbosity' ? (request.text?.verbosity ?? null) : request[name]

/** Values of `include` that need no field: answers have what they name, or another field requests it. */
const INCLUDED: ReadonlySet<string> = new Set([
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
  'web_search_call.action.sources',
  'web_search_call.results',
])

/** Returns the losses of `include`. `given`: further values that answers of this wire always have. */
export const dropIncludes = ({ include }: Request, why: string, given: readonly string[] = []): readonly Loss[] =>
  include.flatMap((what, at) => (INCLUDED.has(what) || given.includes(what) ? [] : [dropped(`include[${at}]`, why)]))

/** Returns the losses of those fields that a wire cannot express and that the request sets. */
export const dropUnsupported = (request: Request, names: readonly UnsupportedField[], why: string): readonly Loss[] =>
  names.filter((name) => hasEffect(name, requestedValue(request, name))).map((name) => dropped(name, why))
