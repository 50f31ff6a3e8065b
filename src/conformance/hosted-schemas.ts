import type { HostedItemType } from '../protocol/item.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import {
  type FieldTest,
  type FieldTests,
  is,
  isAnything,
  isList,
  isNumber,
  isShape,
  isString,
  optionalField,
  orNull,
} from './schema.ts'

/** The members that OpenAI's type requires of an item (openai 7.57, `ResponseOutputItem`), in every state of the item. */
interface HostedSchema {
  readonly fields: FieldTests
  /** Members that OpenAI's own service leaves out of items that have just begun, against its types. */
  readonly later?: readonly string[]
}

/** An object of one of these types, or of one that is newer than the package. */
const isTyped =
  (variants: Readonly<Record<string, FieldTests>>): FieldTest =>
  (value) =>
    isObject(value) && isNonEmptyString(value.type) && isShape(lookup(variants, value.type) ?? {})(value)

const isCall: FieldTests = { call_id: isNonEmptyString }
const isUsual = is('in_progress', 'completed', 'incomplete')
const isSearch = is('in_progress', 'searching', 'completed', 'incomplete', 'failed')
const isPatch: FieldTests = { path: isString, diff: isString }

const isToolSearch: FieldTests = {
  status: isUsual,
  call_id: orNull(isNonEmptyString),
  execution: is('server', 'client'),
}

export const HOSTED_SCHEMAS = {
  web_search_call: {
    fields: {
      status: isSearch,
      action: isTyped({ find_in_page: { pattern: isString, url: isString } }),
    },
    later: ['action'],
  },
  file_search_call: { fields: { status: isSearch, queries: isList } },
  code_interpreter_call: {
    fields: {
      status: is('in_progress', 'completed', 'incomplete', 'interpreting', 'failed'),
      code: orNull(isString),
      container_id: isString,
      outputs: orNull(isList),
    },
  },
  image_generation_call: {
    fields: { status: is('in_progress', 'completed', 'generating', 'failed'), result: orNull(isString) },
    later: ['result'],
  },
  mcp_call: {
    fields: {
      status: optionalField(is('in_progress', 'completed', 'incomplete', 'calling', 'failed')),
      arguments: isString,
      name: isString,
      server_label: isString,
    },
  },
  mcp_list_tools: { fields: { server_label: isString, tools: isList } },
  mcp_approval_request: { fields: { arguments: isString, name: isString, server_label: isString } },
  shell_call: {
    fields: {
      status: isUsual,
      ...isCall,
      action: isShape({ commands: isList, max_output_length: orNull(isNumber), timeout_ms: orNull(isNumber) }),
      environment: orNull(isObject),
    },
  },
  shell_call_output: {
    fields: { status: isUsual, ...isCall, max_output_length: orNull(isNumber), output: isList },
  },
  local_shell_call: {
    fields: { status: isUsual, ...isCall, action: isTyped({ exec: { command: isList, env: isObject } }) },
  },
  apply_patch_call: {
    fields: {
      status: is('in_progress', 'completed'),
      ...isCall,
      operation: isTyped({ create_file: isPatch, delete_file: { path: isString }, update_file: isPatch }),
    },
  },
  apply_patch_call_output: { fields: { status: is('completed', 'failed'), ...isCall } },
  computer_call: {
    fields: { status: isUsual, ...isCall, pending_safety_checks: isList },
  },
  tool_search_call: { fields: { ...isToolSearch, arguments: (value) => value !== undefined } },
  tool_search_output: { fields: { ...isToolSearch, tools: isList } },
  program: { fields: { ...isCall, code: isString, fingerprint: isString } },
  program_output: { fields: { status: is('completed', 'incomplete'), ...isCall, result: isString } },
  compaction: { fields: { encrypted_content: isString } },
} as const satisfies Readonly<Record<HostedItemType, HostedSchema>>

const ALL: readonly (readonly [string, HostedSchema])[] = Object.entries(HOSTED_SCHEMAS)

/** A tool that failed has the status `incomplete` if its type has no `failed`. */
export const FAILS_AS_INCOMPLETE: ReadonlySet<unknown> = new Set(
  ALL.flatMap(([type, { fields }]) => (fields.status?.('incomplete') && !fields.status('failed') ? [type] : [])),
)

const tested = (test: (fields: FieldTests, schema: HostedSchema) => FieldTests): Readonly<Record<string, FieldTests>> =>
  Object.fromEntries(ALL.map(([type, schema]) => [type, { id: isNonEmptyString, ...test(schema.fields, schema) }]))

/** Items of hosted tools when they are done. */
export const DONE_HOSTED = tested((fields) => fields)

/** The same items when they are added: any of their members may be empty. */
export const ADDED_HOSTED = tested((fields, { later = [] }) => ({
  ...fields,
  ...Object.fromEntries(later.map((name) => [name, optionalField(fields[name] ?? isAnything)])),
}))

/** The same items inside internal events, which keep the members of an item apart. */
export const OWN_HOSTED = tested(({ status = isAnything, ...fields }) => ({
  status,
  fields: isShape(fields),
}))
