import type { Delta } from '../../../protocol/delta.ts'
import type { HostedItem } from '../../../protocol/item.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { ISSUED_ELSEWHERE } from '../../../protocol/loss.ts'
import { sealSummary } from '../../../responses/compaction/compaction.ts'
import { isEnvelope } from '../../../responses/encrypted-content.ts'
import { formatJson, isNonEmptyString } from '../../../text/json.ts'
import { fieldSet, type IgnoredFields, pickKnown } from '../../../validation/known-fields.ts'
import { dropField, isAbsent, nameAt, type RequestReader, textAt } from '../../shared/client/request-reader.ts'
import { COMPACTION_FIELDS, compactionFields, isSigned } from '../encrypted-blocks.ts'
import { emitServerTool, isResult, strayTool } from '../upstream/server-tools.ts'
import type { Sealed, ServerTool } from '../upstream/state.ts'
import { isTranslated } from './server-tool-ids.ts'

/** `cache_control` marks content for Anthropic's cache. Other vendors decide on their own what they cache. */
const CACHE = {
  cache_control: { why: 'cache breakpoints are not supported' },
} as const satisfies IgnoredFields

const THINKING = fieldSet(['type', 'thinking', 'signature', 'cache_control'])
const REDACTED = fieldSet(['type', 'data', 'cache_control'])
const COMPACTION = fieldSet(['type', 'content'], CACHE)
const OWN_COMPACTION = fieldSet(['type', 'content', ...COMPACTION_FIELDS], CACHE)
const SERVER_CALL = fieldSet(['type', 'id', 'name', 'server_name', 'input', 'caller'], CACHE)
const SERVER_RESULT = fieldSet(['type', 'tool_use_id', 'content', 'is_error', 'caller'], CACHE)

/** Items of the history that only their vendor can read. */
type Items = readonly JsonObject[]

/** Seals a payload for its own vendor. If the request goes to another wire, records a loss and returns null. */
function sealed(payload: Json, path: string, notes: RequestReader): string | null {
  const { seal } = notes
  if (seal === null) dropField(notes, path, ISSUED_ELSEWHERE)
  return seal === null ? null : seal(payload)
}

const words = (type: 'reasoning_text' | 'summary_text', text: string): Json => (text === '' ? [] : [{ type, text }])

/** "thinking blocks cannot be directly cached": no upstream receives the mark. */
function dropMark({ cache_control: control }: JsonRecord, path: string, notes: RequestReader): void {
  if (!isAbsent(control)) dropField(notes, `${path}.cache_control`, 'no cache breakpoint may stand on reasoning')
}

/**
 * Decodes a thinking block. Text beside an envelope becomes a summary, because vendors that issue encrypted content
 * show their reasoning as summaries. Text without an envelope becomes raw reasoning, which any upstream that accepts
 * reasoning can read.
 */
export function decodeReasoningBlock(given: JsonRecord, path: string, notes: RequestReader): Items {
  const block = pickKnown(given, THINKING, path, notes)
  dropMark(block, path, notes)
  const thinking = textAt(notes, `${path}.thinking`, block.thinking === null ? '' : block.thinking)
  const signature = isNonEmptyString(block.signature) ? block.signature : ''
  if (isEnvelope(signature)) {
    return [{ type: 'reasoning', summary: words('summary_text', thinking), encrypted_content: signature }]
  }
  const payload: Sealed = { type: 'thinking', thinking, signature }
  const encrypted_content = isSigned(signature) ? sealed(payload, `${path}.signature`, notes) : null
  if (encrypted_content === null && thinking === '') return []
  return [{ type: 'reasoning', summary: [], content: words('reasoning_text', thinking), encrypted_content }]
}

export function decodeRedacted(given: JsonRecord, path: string, notes: RequestReader): Items {
  const block = pickKnown(given, REDACTED, path, notes)
  dropMark(block, path, notes)
  const data = nameAt(notes, `${path}.data`, block.data)
  const own: Sealed = { type: 'redacted_thinking', data }
  const encrypted_content = isEnvelope(data) ? data : sealed(own, path, notes)
  return encrypted_content === null ? [] : [{ type: 'reasoning', summary: [], encrypted_content }]
}

/**
 * Decodes a compaction, which replaces the conversation before it. For another wire it becomes a summary in our own
 * envelope, which that wire sends as text.
 */
export function decodeCompaction(given: JsonRecord, path: string, notes: RequestReader): Items {
  const { seal } = notes
  const isEncrypted = isNonEmptyString(given.encrypted_content) && isAbsent(given.content)
  if (seal === null && isEncrypted) {
    dropField(notes, path, ISSUED_ELSEWHERE)
    return []
  }
  const block = pickKnown(given, seal === null ? COMPACTION : OWN_COMPACTION, path, notes)
  const content = isEncrypted ? null : nameAt(notes, `${path}.content`, block.content)
  const payload: Sealed = { type: 'compaction', content, ...compactionFields(given) }
  return [{ type: 'compaction', encrypted_content: seal === null ? sealSummary(content ?? '') : seal(payload) }]
}

/** Whether the block returns unchanged to the vendor that issued it. */
const goesBack = (id: string, { seal }: RequestReader): boolean => seal !== null && !isTranslated(id)

const isServerCall = (type: unknown): boolean => type === 'server_tool_use' || type === 'mcp_tool_use'

/** The server tools of one message, by the ids of their calls. */
export interface ServerTools {
  readonly calls: ReadonlySet<unknown>
  /** The first result of each call. */
  readonly results: ReadonlyMap<unknown, JsonRecord>
}

export function serverToolsIn(blocks: readonly JsonRecord[]): ServerTools {
  const calls = new Set<unknown>()
  const results = new Map<unknown, JsonRecord>()
  for (const block of blocks) {
    if (isServerCall(block.type)) calls.add(block.id)
    if (isResult(block.type) && !results.has(block.tool_use_id)) results.set(block.tool_use_id, block)
  }
  return { calls, results }
}

/** Decodes a call of a server tool together with its result into one item. */
export function decodeServerCall(
  block: JsonRecord,
  { results }: ServerTools,
  path: string,
  notes: RequestReader,
): Items {
  const id = nameAt(notes, `${path}.id`, block.id)
  if (!goesBack(id, notes)) pickKnown(block, SERVER_CALL, path, notes)
  const name = nameAt(notes, `${path}.name`, block.name)
  const server = block.type === 'mcp_tool_use' && isNonEmptyString(block.server_name) ? block.server_name : null
  const input = formatJson(block.input ?? {})
  const tool: ServerTool = { key: '', id, name, server, input, call: block as JsonObject }
  return toItem(tool, results.get(id) ?? null, path, notes)
}

/**
 * Decodes a result whose call was in an earlier message. Returns nothing if the call is in this message, because the
 * item of the call contains the result.
 */
export function decodeServerResult(
  block: JsonRecord,
  { calls }: ServerTools,
  path: string,
  notes: RequestReader,
): Items {
  const id = nameAt(notes, `${path}.tool_use_id`, block.tool_use_id)
  if (!goesBack(id, notes)) pickKnown(block, SERVER_RESULT, path, notes)
  if (calls.has(id)) return []
  return toItem(strayTool(`${block.type}`, id, ''), block, path, notes)
}

function toItem(tool: ServerTool, result: JsonRecord | null, path: string, notes: RequestReader): Items {
  const deltas: Delta[] = []
  emitServerTool(tool, result, '', deltas)
  const payload = deltas.find((delta) => delta.kind === 'opaque')?.payload ?? null
  const own = payload === null || isTranslated(tool.id) ? null : sealed(payload, path, notes)
  return deltas.flatMap((delta) => (delta.kind === 'hosted' ? [itemOf(delta.item, own)] : []))
}

/** The item has no id, because an id of one vendor is invalid at another. */
const itemOf = ({ type, status, fields }: HostedItem, encrypted_content: string | null): JsonObject => ({
  ...fields,
  type,
  status,
  ...(encrypted_content === null ? {} : { encrypted_content }),
})
