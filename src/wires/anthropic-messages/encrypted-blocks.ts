import type { HostedItem } from '../../protocol/item.ts'
import type { Json, JsonObject, JsonRecord } from '../../protocol/json.ts'
import { UNREADABLE_REASONING } from '../../protocol/loss.ts'
import type { InputItem, Request } from '../../protocol/request.ts'
import { openUnsealed } from '../../responses/encrypted-content.ts'
import { isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import type { AnswerBlock } from './json.ts'

/** The original blocks of a sealed payload, or the reason why they cannot be sent back. */
type Unsealed = { readonly blocks: readonly AnswerBlock[] } | { readonly loss: string }

/** `isLast`: no item follows this one. `hasTools`: the request has tools. */
export function unseal(payload: Json | undefined, isLast: boolean, hasTools: boolean): Unsealed {
  const record = isObject(payload) ? payload : {}
  if (record.type === 'server_tool') return unsealTool(toArray(record.blocks).filter(isServerBlock), isLast, hasTools)
  const block = blockOf(record)
  return block === null ? { loss: UNREADABLE_REASONING } : { blocks: [block] }
}

/** Whether Messages clients receive an item as the vendor's own blocks. */
export const isOwnBlock = ({ fields: { encrypted_content: sealed } }: HostedItem): boolean =>
  isNonEmptyString(sealed) && openUnsealed(sealed) !== undefined

/** A compaction that another request can send: a summary, or one that only the vendor can read. */
interface Compaction extends JsonRecord {
  readonly content?: string | null
}

const isReadable = (record: JsonRecord): record is Compaction =>
  isNonEmptyString(record.content) ||
  ((record.content === null || record.content === undefined) && isNonEmptyString(record.encrypted_content))

/** The fields of a compaction that accompany its content, as far as the vendor sent them. */
export const COMPACTION_FIELDS = ['encrypted_content', 'signature', 'tool_changes'] as const

export const compactionFields = (block: JsonRecord): JsonObject =>
  Object.fromEntries(
    COMPACTION_FIELDS.flatMap((name) => {
      const value = block[name]
      return value === undefined || value === null || value === '' ? [] : [[name, value as Json]]
    }),
  )

function blockOf(record: Readonly<Record<string, unknown>>): AnswerBlock | null {
  switch (record.type) {
    case 'thinking':
      return typeof record.thinking === 'string' && isNonEmptyString(record.signature)
        ? { type: 'thinking', thinking: record.thinking, signature: record.signature }
        : null
    case 'redacted_thinking':
      return isNonEmptyString(record.data) ? { type: 'redacted_thinking', data: record.data } : null
    case 'compaction':
      return isReadable(record)
        ? { type: 'compaction', content: record.content ?? null, ...compactionFields(record) }
        : null
    default:
      return null
  }
}

/**
 * Accepts a call with its result, or a call at the very end, with which a paused answer continues. Anthropic rejects
 * any other call without its result, and a result without its call.
 */
function unsealTool(blocks: readonly AnswerBlock[], isLast: boolean, hasTools: boolean): Unsealed {
  if (!hasTools || blocks.length === 0) return { loss: 'this upstream accepts it only if the request has its tool' }
  const paused = isLast && blocks[0]?.type === 'server_tool_use'
  if (blocks.length === 1 && !paused) return { loss: 'this upstream accepts a call only with its result' }
  return { blocks }
}

const SERVER_BLOCK = /^server_tool_use$|_tool_result$/

export const isServerBlock = (block: unknown): block is JsonObject & { readonly type: `${string}_tool_result` } =>
  isObject(block) && isNonEmptyString(block.type) && SERVER_BLOCK.test(block.type)

/**
 * Items with encrypted content of other types become reasoning items, so that they keep their position in the answer.
 */
export function withSeals(input: Request['input']): readonly InputItem[] {
  return input.map((item): InputItem => {
    const sealed = item.type === 'other' ? item.item.encrypted_content : null
    return isNonEmptyString(sealed) ? { type: 'reasoning', summary: [], content: [], encrypted_content: sealed } : item
  })
}

/**
 * Stands for the signature of reasoning that has none. Clients do not accept a thinking block with an empty signature:
 * they send its text back as an answer, or not at all.
 */
export const UNSIGNED = 'unsigned'

export const isSigned = (signature: string): boolean => signature !== '' && signature !== UNSIGNED
