import type { ItemType } from '../protocol/item.ts'
import type { AnnotationType } from '../protocol/part.ts'
import type { Response } from '../protocol/response.ts'
import { isObject, isText } from '../text/json.ts'
import {
  type Fields,
  is,
  isAnything,
  isBoolean,
  isCount,
  isEmptyList,
  isList,
  isNull,
  isNumber,
  isShape,
  isString,
  optional,
  orNull,
  type Shape,
  type Shapes,
} from './schema.ts'

const open = (fields: Fields): Shape => ({ fields, exact: false })

const isReasoning = (value: unknown): boolean => isObject(value) && 'effort' in value && 'summary' in value
const isFinal = is('completed', 'incomplete')

/** Every key is required, and most numbers must not be null (Open Responses). */
const RESPONSE = {
  id: isText,
  object: is('response'),
  created_at: isCount,
  completed_at: orNull(isNumber),
  status: isText,
  model: isString,
  output: isList,
  usage: orNull(isObject),
  error: orNull(isObject),
  incomplete_details: orNull(isObject),
  instructions: orNull(isString, isList),
  previous_response_id: orNull(isString),
  max_output_tokens: orNull(isCount),
  max_tool_calls: orNull(isCount),
  tools: isList,
  tool_choice: (value) => isString(value) || isObject(value),
  parallel_tool_calls: isBoolean,
  temperature: isNumber,
  top_p: isNumber,
  presence_penalty: isNumber,
  frequency_penalty: isNumber,
  top_logprobs: isCount,
  text: isShape({ format: isShape({ type: isText }) }),
  reasoning: orNull(isReasoning),
  truncation: is('auto', 'disabled'),
  service_tier: isString,
  store: isBoolean,
  background: isBoolean,
  metadata: orNull(isObject),
  safety_identifier: orNull(isString),
  prompt_cache_key: orNull(isString),
  // Not in Open Responses: only OpenAI's own service repeats it.
  user: isAnything,
} satisfies Record<keyof Response, (value: unknown) => boolean>

const HOSTED: Fields = { id: isText, status: isText }
const NAMED: Fields = { id: isText }

const ITEMS = {
  message: { id: isText, status: isFinal, role: is('assistant'), content: isList },
  function_call: { id: isText, call_id: isText, name: isText, arguments: isString, status: isFinal },
  // The standard defines neither an id nor a status for a custom call.
  custom_tool_call: { call_id: isText, name: isText, input: isString, status: optional(isFinal) },
  reasoning: {
    id: isText,
    summary: isList,
    content: optional(orNull(isList)),
    // Clients reject null here: a missing value is omitted.
    encrypted_content: optional(isString),
  },
  web_search_call: HOSTED,
  file_search_call: HOSTED,
  code_interpreter_call: HOSTED,
  image_generation_call: HOSTED,
  mcp_call: NAMED,
  mcp_list_tools: NAMED,
  mcp_approval_request: NAMED,
  shell_call: NAMED,
  shell_call_output: NAMED,
  local_shell_call: NAMED,
  apply_patch_call: NAMED,
  apply_patch_call_output: NAMED,
  computer_call: NAMED,
  tool_search_call: NAMED,
  tool_search_output: NAMED,
  program: NAMED,
  program_output: NAMED,
  compaction: NAMED,
} satisfies Record<ItemType, Fields>

/** Items of requests, which this service never emits. */
const OTHER_ITEMS: Readonly<Record<string, Fields>> = { function_call_output: { id: isText, call_id: isText } }

const ANNOTATIONS = {
  url_citation: { url: isText, start_index: isCount, end_index: isCount, title: isString },
  file_citation: { file_id: isText, index: isCount },
  container_file_citation: { container_id: isText, file_id: isText, start_index: isCount, end_index: isCount },
  file_path: { file_id: isText },
} satisfies Record<AnnotationType | 'container_file_citation' | 'file_path', Fields>

/** The objects of the standard, as Open Responses and the clients of the `openai` SDK require them. */
export const STANDARD_SHAPES: Shapes = {
  opening: open({ ...RESPONSE, output: isEmptyList, usage: isNull }),
  closing: open(RESPONSE),
  recap: open({}),
  usage: {
    input_tokens: isCount,
    input_tokens_details: isShape({ cached_tokens: isCount }),
    output_tokens: isCount,
    output_tokens_details: isShape({ reasoning_tokens: isCount }),
    total_tokens: isCount,
  },
  added: {
    message: { id: isText, role: is('assistant'), content: isEmptyList, status: is('in_progress') },
    function_call: { id: isText, name: isText, arguments: is(''), status: is('in_progress') },
    custom_tool_call: { name: isText },
    reasoning: { id: isText, summary: isEmptyList },
  },
  otherAdded: NAMED,
  items: { ...ITEMS, ...OTHER_ITEMS },
  newParts: {
    message: {
      output_text: open({ text: is(''), annotations: isEmptyList }),
      refusal: open({ refusal: is('') }),
    },
    reasoning: { reasoning_text: open({ text: is('') }) },
  },
  parts: {
    message: { output_text: { text: isString, annotations: isList }, refusal: { refusal: isString } },
    reasoning: { reasoning_text: { text: isString } },
  },
  newSummary: isShape({ type: is('summary_text'), text: is('') }),
  summary: isShape({ type: is('summary_text'), text: isString }),
  annotations: ANNOTATIONS,
  otherAnnotations: true,
  reasons: true,
}

/** The objects of internal events, before a dialect writes them: an unknown value is null there. */
export const EVENT_SHAPES: Shapes = {
  ...STANDARD_SHAPES,
  usage: {
    input_tokens: orNull(isCount),
    output_tokens: orNull(isCount),
    total_tokens: orNull(isCount),
    cached_tokens: orNull(isCount),
    reasoning_tokens: orNull(isCount),
  },
  items: {
    ...ITEMS,
    reasoning: { id: isText, summary: isList, content: isList, encrypted_content: orNull(isString) },
  },
  annotations: { ...ANNOTATIONS, url_citation: { ...ANNOTATIONS.url_citation, title: orNull(isString) } },
}
