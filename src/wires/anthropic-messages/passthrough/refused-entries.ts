import type { JsonRecord } from '../../../protocol/json.ts'
import { isObject, toArray } from '../../../text/json.ts'
import type { HubRules } from '../../passthrough-contract.ts'
import { OpenCallIds } from '../../shared/open-call-ids.ts'
import { isPresent } from '../../shared/passthrough/conditions.ts'
import { isSignature } from '../../shared/upstream/signature.ts'
import { isToolUseId } from '../call-ids.ts'
import { readsFiles } from '../reads-files.ts'

const isBlank = (text: unknown): boolean => text === null || (typeof text === 'string' && !/\S/.test(text))

/** "text content blocks must be non-empty", "… must contain non-whitespace text". */
export const isBlankText = ({ type, text }: JsonRecord): boolean => type === 'text' && isBlank(text)

const isEmpty = (content: unknown): boolean => isBlank(content) || (Array.isArray(content) && content.length === 0)

/** "content cannot be empty if `is_error` is true", "Input should be a valid list". */
const isEmptyResult = ({ content, is_error: failed }: JsonRecord): boolean =>
  content === null || (failed === true && (content === undefined || isEmpty(content)))

/** "thinking blocks cannot be directly cached". */
const isCachedReasoning = ({ type, cache_control: control }: JsonRecord): boolean =>
  (type === 'thinking' || type === 'redacted_thinking') && isPresent(control)

const isEmptyText = (block: unknown): boolean => isObject(block) && block.type === 'text' && block.text === ''

/** "thinking: Input should be a valid string", "Invalid `signature` in `thinking` block". */
const isOddReasoning = ({ type, thinking, signature }: JsonRecord): boolean =>
  type === 'thinking' && (thinking === null || (typeof signature === 'string' && !isSignature(signature)))

/** Blocks that every model of other makers reads behind this protocol: "unknown variant `tool_reference`, expected …". */
const USUAL_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'image', 'thinking', 'tool_use', 'tool_result'])

const isUnusual = (block: unknown, hasFiles: boolean): boolean =>
  isObject(block) &&
  !(hasFiles && block.type === 'document') &&
  (!USUAL_BLOCKS.has(block.type) ||
    (block.type === 'tool_result' && toArray(block.content).some((inner) => isUnusual(inner, hasFiles))))

/** The place in a conversation in which the next message stands. */
interface Place {
  /** The role of the message before; null at the beginning. */
  role: unknown
  /** The ids of the calls of the last answer that have no result yet. */
  readonly open: OpenCallIds
  /** Whether the user has said anything behind that answer. */
  isPrompted: boolean
  /** Whether the message before is an answer without content, which may stand at the end only. */
  isEmptyAnswer: boolean
}

function refusesAnswer(place: Place, content: unknown, isClaude: boolean): boolean {
  if (place.role !== 'assistant') {
    // "messages: first message must use the "user" role", "`tool_use` ids were found without `tool_result` blocks".
    if (place.role === null || place.open.size > 0) return true
    place.isPrompted = false
  }
  place.isEmptyAnswer = isEmpty(content)
  for (const block of toArray(content)) {
    if (!isObject(block)) continue
    if (isBlankText(block) || isCachedReasoning(block) || (isClaude && isOddReasoning(block))) return true
    if (block.type !== 'tool_use') continue
    if (!isToolUseId(block.id) || !isObject(block.input) || !place.open.add(block.id)) return true
  }
  return false
}

/** "Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks." */
function refusesPrompt(place: Place, content: unknown): boolean {
  if (isEmpty(content)) return true
  if (!Array.isArray(content)) place.isPrompted = true
  for (const block of toArray(content)) {
    if (!isObject(block)) continue
    if (block.type !== 'tool_result') {
      if (isBlankText(block)) return true
      place.isPrompted = true
    } else if (
      isEmptyResult(block) ||
      place.isPrompted ||
      !place.open.take(block.tool_use_id) ||
      toArray(block.content).some(isEmptyText)
    )
      return true
  }
  return place.isPrompted && place.open.size > 0
}

/**
 * Neighbours of one role are one turn. The results of all calls of an answer begin the turn behind it. A system message
 * stands behind the user, and before an answer or at the end.
 */
export const refusesMessagesEntries: NonNullable<HubRules['refusesEntries']> = (
  quirks,
  { lateSystem, family = 'claude' },
) => {
  const place: Place = { role: null, open: new OpenCallIds(), isPrompted: false, isEmptyAnswer: false }
  const isClaude = family === 'claude'
  const hasFiles = readsFiles(quirks, { family })
  return ({ role, content }) => {
    const before = place.role
    if (place.isEmptyAnswer || (!isClaude && toArray(content).some((block) => isUnusual(block, hasFiles)))) return true
    if (lateSystem === true && (role === 'system' ? before !== 'user' : role === 'user' && before === 'system'))
      return true
    const isRefused = role === 'assistant' ? refusesAnswer(place, content, isClaude) : refusesPrompt(place, content)
    place.role = role
    return isRefused
  }
}
