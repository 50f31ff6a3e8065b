import type { HostedItem, HostedItemType, ItemStatus } from '../protocol/item.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'

/** The members that OpenAI's type of an item requires beside type and id (openai 7.57, `ResponseOutputItem`). */
export interface HostedMembers {
  /** Members that are known when the item begins, and their values if they are not. */
  readonly names: JsonObject
  /** Members that are empty until the item is done. */
  readonly content: JsonObject
  /** The statuses of its type; null if its type has none, or any. */
  readonly statuses: readonly string[] | null
}

const USUAL = ['in_progress', 'completed', 'incomplete'] as const
const SEARCH = ['in_progress', 'searching', 'completed', 'incomplete', 'failed'] as const

const CALL: JsonObject = { call_id: '' }
const TOOL_SEARCH: JsonObject = { call_id: null, execution: 'server' }
const SERVER: JsonObject = { server_label: '' }

/** The rows of items that some wires report themselves, so that a bundle of such a wire contains no other row. */
export const WEB_SEARCH_CALL: HostedMembers = { names: {}, content: { action: { type: 'search' } }, statuses: SEARCH }
export const FILE_SEARCH_CALL: HostedMembers = { names: {}, content: { queries: [] }, statuses: SEARCH }
export const CODE_INTERPRETER_CALL: HostedMembers = {
  names: { container_id: '' },
  content: { code: null, outputs: null },
  statuses: ['in_progress', 'completed', 'incomplete', 'interpreting', 'failed'],
}
export const IMAGE_GENERATION_CALL: HostedMembers = {
  names: {},
  content: { result: null },
  statuses: ['in_progress', 'completed', 'generating', 'failed'],
}
export const MCP_CALL: HostedMembers = {
  names: { name: '', server_label: '' },
  content: { arguments: '' },
  statuses: ['in_progress', 'completed', 'incomplete', 'calling', 'failed'],
}
export const TOOL_SEARCH_CALL: HostedMembers = {
  names: TOOL_SEARCH,
  content: { arguments: {} },
  statuses: USUAL,
}
export const COMPACTION: HostedMembers = { names: {}, content: { encrypted_content: '' }, statuses: null }

/** A client reads these members without a test whether they are there. An unknown one is null where its type allows it. */
export const HOSTED_MEMBERS: Readonly<Record<HostedItemType, HostedMembers>> = {
  web_search_call: WEB_SEARCH_CALL,
  file_search_call: FILE_SEARCH_CALL,
  code_interpreter_call: CODE_INTERPRETER_CALL,
  image_generation_call: IMAGE_GENERATION_CALL,
  mcp_call: MCP_CALL,
  mcp_list_tools: { names: SERVER, content: { tools: [] }, statuses: null },
  // It has no events, and is whole from its beginning.
  mcp_approval_request: { names: { name: '', server_label: '', arguments: '' }, content: {}, statuses: null },
  shell_call: {
    names: { call_id: '', environment: null },
    content: { action: { commands: [], max_output_length: null, timeout_ms: null } },
    statuses: USUAL,
  },
  shell_call_output: { names: { call_id: '', max_output_length: null }, content: { output: [] }, statuses: USUAL },
  local_shell_call: { names: CALL, content: { action: { type: 'exec', command: [], env: {} } }, statuses: USUAL },
  apply_patch_call: {
    names: CALL,
    content: { operation: { type: 'update_file', path: '', diff: '' } },
    statuses: ['in_progress', 'completed'],
  },
  apply_patch_call_output: { names: CALL, content: {}, statuses: ['completed', 'failed'] },
  computer_call: { names: { call_id: '', pending_safety_checks: [] }, content: {}, statuses: USUAL },
  tool_search_call: TOOL_SEARCH_CALL,
  tool_search_output: { names: TOOL_SEARCH, content: { tools: [] }, statuses: USUAL },
  program: { names: { call_id: '', fingerprint: '' }, content: { code: '' }, statuses: null },
  program_output: { names: CALL, content: { result: '' }, statuses: ['completed', 'incomplete'] },
  compaction: COMPACTION,
}

/** The kinds of members that may be null. */
const NULLABLE: Readonly<Record<string, string>> = {
  call_id: 'string',
  code: 'string',
  environment: 'object',
  max_output_length: 'number',
  outputs: 'list',
  result: 'string',
  timeout_ms: 'number',
}

/** The words of members that are no free texts. */
const WORDS: Readonly<Record<string, readonly Json[]>> = { execution: ['server', 'client'] }

const kindOf = (value: Json): string => (Array.isArray(value) ? 'list' : typeof value)

/**
 * Returns a value with all that is missing from it. A value of another kind is replaced, and `wrong` is called; null
 * stands for a missing value where the type allows none. An empty object may be any value.
 */
function fill(name: string, empty: Json, value: Json | undefined, wrong: () => void): Json {
  if (value === undefined || value === null) return empty
  if (isObject(empty) && Object.keys(empty).length === 0) return value
  const kind = empty === null ? lookup(NULLABLE, name) : kindOf(empty)
  const isWrong = kind !== undefined && kindOf(value) !== kind
  if (isWrong || lookup(WORDS, name)?.includes(value) === false) {
    wrong()
    return empty
  }
  return isObject(value) && isObject(empty)
    ? fillAll(emptyFor(value, empty as JsonObject), value as JsonObject, wrong)
    : value
}

/** The members that the variants of a member require beside their type. */
const VARIANTS: Readonly<Record<string, JsonObject>> = {
  search: {},
  open_page: {},
  find_in_page: { pattern: '', url: '' },
  delete_file: { path: '' },
}

/** Returns what is missing from an empty value of this type. */
function emptyFor({ type }: Readonly<Record<string, unknown>>, empty: JsonObject): JsonObject {
  const variant = typeof type === 'string' ? lookup(VARIANTS, type) : undefined
  return variant === undefined ? empty : { type: type as Json, ...variant }
}

function fillAll(empty: JsonObject, given: JsonObject, wrong: () => void): JsonObject {
  const missing = Object.entries(empty).filter(([name]) => !Object.hasOwn(given, name))
  const filled = Object.entries(given).map(([name, value]): readonly [string, Json] => [
    name,
    Object.hasOwn(empty, name) ? fill(name, empty[name] as Json, value, wrong) : value,
  ])
  return Object.fromEntries([...missing, ...filled])
}

const nothing = (): void => {}

/**
 * Returns an item with all members that its type requires. `announced`: the item as it was announced, whose names stay.
 * `wrong` is called for a member of another kind, which cannot be carried.
 */
export function wholeItem(
  { names, content }: HostedMembers,
  item: HostedItem,
  announced: JsonObject,
  wrong: () => void = nothing,
): HostedItem {
  const known = Object.fromEntries(Object.keys(names).flatMap((name) => knownName(name, names, announced, item.fields)))
  const { id: _, type: __, status: ___, ...own } = item.fields
  return { ...item, fields: fillAll({ ...names, ...content }, { ...own, ...known }, wrong) }
}

/**
 * A client finds a call by its id, so that an announced id never changes. Any other name may become known later, also
 * the id of a search of tools: OpenAI's own service announces another one.
 */
function knownName(
  name: string,
  names: JsonObject,
  announced: JsonObject,
  now: JsonObject,
): readonly (readonly [string, Json])[] {
  const earlier = announced[name]
  if (earlier === undefined) return []
  const isFinal = name === 'call_id' && names.call_id === '' && isNonEmptyString(earlier)
  return isFinal || now[name] === undefined || now[name] === null ? [[name, earlier]] : []
}

/**
 * Returns the first state of an item: its names, and none of its content. Only the file of a patch is known before the
 * patch, because a client shows it while the patch arrives.
 */
export function announcedItem(members: HostedMembers, item: HostedItem): HostedItem {
  const { names, content } = members
  const { fields } = wholeItem(members, item, {})
  const shown = Object.fromEntries(Object.keys(names).map((name) => [name, fields[name] as Json]))
  const empty: JsonObject = item.type === 'apply_patch_call' ? { operation: withoutDiff(fields) } : content
  return { ...item, status: 'in_progress', fields: { ...shown, ...empty } }
}

function withoutDiff({ operation }: JsonObject): Json {
  const { type, path, diff } = operation as JsonObject
  return { type: type as Json, path: path as Json, ...(diff === undefined ? {} : { diff: '' }) }
}

/** Returns whether an item has no id yet by which its client could answer it. */
export const isUnnumbered = ({ names }: HostedMembers, { fields }: HostedItem): boolean =>
  names.call_id === '' && !isNonEmptyString(fields.call_id)

/** Statuses of an item that has ended: it is no longer in progress, and the answer was not cut inside it. */
const ENDED: Readonly<Record<string, string>> = { in_progress: 'completed', incomplete: 'failed' }

/** Statuses in place of one that the type of an item does not have. */
const NEAREST: Readonly<Record<string, readonly string[]>> = {
  incomplete: ['failed', 'in_progress'],
  failed: ['incomplete', 'in_progress'],
}

/**
 * Returns a status that the type of an item has. `reported`: the one of the upstream; `status`: the one that follows
 * from the answer. A patch has no status for a failure: it stays in progress, so that no client applies it.
 */
export function hostedStatus({ statuses }: HostedMembers, reported: string, status: ItemStatus): string {
  const hasFailure = statuses === null || statuses.includes('failed') || statuses.includes('incomplete')
  const ended = reported === 'in_progress' && !hasFailure ? reported : (lookup(ENDED, reported) ?? reported)
  const meant = status === 'completed' ? ended : status
  if (statuses === null || statuses.includes(meant)) return meant
  return (lookup(NEAREST, meant) ?? []).find((near) => statuses.includes(near)) ?? 'completed'
}
