import type { HostedItemType, ItemType } from '../protocol/item.ts'
import type { AnnotationType } from '../protocol/part.ts'
import type { Response } from '../protocol/response.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { ADDED_HOSTED, DONE_HOSTED, OWN_HOSTED } from './hosted-schemas.ts'
import {
  type FieldTests,
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
  type ObjectSchema,
  type ObjectSchemas,
  optionalField,
  orNull,
} from './schema.ts'

const open = (fields: FieldTests): ObjectSchema => ({ fields, exact: false })

const isReasoning = (value: unknown): boolean => isObject(value) && 'effort' in value && 'summary' in value
const isFinal = is('completed', 'incomplete')

/** Every key is required, and most numbers must not be null (Open Responses). */
const RESPONSE = {
  id: isNonEmptyString,
  object: is('response'),
  created_at: isCount,
  completed_at: orNull(isNumber),
  status: isNonEmptyString,
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
  text: isShape({ format: isShape({ type: isNonEmptyString }) }),
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

const NAMED: FieldTests = { id: isNonEmptyString }

const ITEMS = {
  message: { id: isNonEmptyString, status: isFinal, role: is('assistant'), content: isList },
  function_call: {
    id: isNonEmptyString,
    call_id: isNonEmptyString,
    name: isNonEmptyString,
    arguments: isString,
    status: isFinal,
  },
  // The standard defines neither an id nor a status for a custom call.
  custom_tool_call: {
    call_id: isNonEmptyString,
    name: isNonEmptyString,
    input: isString,
    status: optionalField(isFinal),
  },
  reasoning: {
    id: isNonEmptyString,
    summary: isList,
    content: optionalField(orNull(isList)),
    // Clients reject null here: a missing value is omitted.
    encrypted_content: optionalField(isString),
  },
} satisfies Record<Exclude<ItemType, HostedItemType>, FieldTests>

/** Items of requests, which this service never emits. */
const OTHER_ITEMS: Readonly<Record<string, FieldTests>> = {
  function_call_output: { id: isNonEmptyString, call_id: isNonEmptyString },
}

const ANNOTATIONS = {
  url_citation: { url: isNonEmptyString, start_index: isCount, end_index: isCount, title: isString },
  file_citation: { file_id: isNonEmptyString, index: isCount },
  container_file_citation: {
    container_id: isNonEmptyString,
    file_id: isNonEmptyString,
    start_index: isCount,
    end_index: isCount,
  },
  file_path: { file_id: isNonEmptyString },
} satisfies Record<AnnotationType | 'container_file_citation' | 'file_path', FieldTests>

/** The objects of the standard, as Open Responses and the clients of the `openai` SDK require them. */
export const STANDARD_SCHEMAS: ObjectSchemas = {
  opening: open({ ...RESPONSE, output: isEmptyList, usage: isNull }),
  closing: open(RESPONSE),
  recap: open({}),
  usage: {
    input_tokens: isCount,
    input_tokens_details: isShape({ cached_tokens: isCount, cache_write_tokens: optionalField(isCount) }),
    output_tokens: isCount,
    output_tokens_details: isShape({ reasoning_tokens: isCount }),
    total_tokens: isCount,
  },
  added: {
    message: { id: isNonEmptyString, role: is('assistant'), content: isEmptyList, status: is('in_progress') },
    function_call: { id: isNonEmptyString, name: isNonEmptyString, arguments: is(''), status: is('in_progress') },
    custom_tool_call: { name: isNonEmptyString },
    reasoning: { id: isNonEmptyString, summary: isEmptyList },
    ...ADDED_HOSTED,
  },
  otherAdded: NAMED,
  items: { ...ITEMS, ...DONE_HOSTED, ...OTHER_ITEMS },
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
export const EVENT_SCHEMAS: ObjectSchemas = {
  ...STANDARD_SCHEMAS,
  usage: {
    input_tokens: orNull(isCount),
    output_tokens: orNull(isCount),
    total_tokens: orNull(isCount),
    cached_tokens: orNull(isCount),
    reasoning_tokens: orNull(isCount),
  },
  added: { ...STANDARD_SCHEMAS.added, ...OWN_HOSTED },
  items: {
    ...ITEMS,
    ...OWN_HOSTED,
    reasoning: { id: isNonEmptyString, summary: isList, content: isList, encrypted_content: orNull(isString) },
  },
  annotations: { ...ANNOTATIONS, url_citation: { ...ANNOTATIONS.url_citation, title: orNull(isString) } },
}
