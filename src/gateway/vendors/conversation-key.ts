import type { InputItem, InputPart, Request } from '../../protocol/request.ts'
import { hash32 } from '../../text/hash.ts'
import { isNonEmptyString } from '../../text/json.ts'
import type { RequestHeaders } from '../exchange/http-types.ts'

/**
 * The headers in which clients name the session that a request belongs to (docs/clients/agents.md): Claude Code, Codex
 * (of several versions), opencode, and clients of OpenRouter.
 */
const SESSION_HEADERS = [
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'thread-id',
  'conversation_id',
  'x-session-affinity',
  'x-session-id',
] as const

/** The part of a request that its key of a conversation is the hash of. */
type ConversationBasis = 'prompt_cache_key' | 'session' | 'beginning'

interface Conversation {
  /** 32 bits, the same for each request of the conversation. */
  readonly key: number
  readonly basis: ConversationBasis
}

/**
 * Identifies the conversation that a request continues, by the name that its client gives it, or by its beginning.
 * `named`: the session that the body names outside of the hub's request, as Claude Code does in `metadata.user_id`.
 */
export function conversationOf(request: Request, headers: RequestHeaders, named: string | null): Conversation {
  const { prompt_cache_key: cacheKey } = request
  if (isNonEmptyString(cacheKey)) return { key: hash32(cacheKey), basis: 'prompt_cache_key' }
  for (const session of [...SESSION_HEADERS.map((name) => headers[name]), named])
    if (isNonEmptyString(session)) return { key: hash32(session), basis: 'session' }
  return { key: hashBeginning(request), basis: 'beginning' }
}

/** Bounds of what is hashed, whatever the size of a request. */
const MOST_TOOLS = 256
const MOST_ITEMS = 32
const MOST_PARTS = 64
const LONGEST_END = 2048

/** Both ends of a text and its length: a text that is longer begins with what many conversations share. */
const hashText = (text: string, seed: number): number =>
  text.length <= 2 * LONGEST_END
    ? hash32(text, seed)
    : hash32(text.slice(-LONGEST_END), hash32(text.slice(0, LONGEST_END), seed ^ text.length))

/**
 * Hashes the beginning of all requests of a conversation: the names of the tools, the instructions and the first turn of
 * the user. Different conversations may have the same hash, and then the same member.
 */
function hashBeginning({ tools, instructions, input }: Request): number {
  let hash = tools.slice(0, MOST_TOOLS).reduce((seed, { name }) => hashText(name, seed), 0)
  hash = hashText(instructions ?? '', hash)
  for (const item of firstTurn(input)) {
    for (const part of item.content.slice(0, MOST_PARTS)) hash = hashText(textOf(part), hash)
  }
  return hash
}

type Message = Extract<InputItem, { readonly role: 'user' | 'system' | 'developer' }>

const isBeginning = (item: InputItem): item is Message => item.type === 'message' && item.role !== 'assistant'

function firstTurn(input: readonly InputItem[]): readonly Message[] {
  const first = input.slice(0, MOST_ITEMS)
  const end = first.findIndex((item) => !isBeginning(item))
  return (end < 0 ? first : first.slice(0, end)).filter(isBeginning)
}

function textOf(part: InputPart): string {
  switch (part.type) {
    case 'input_text':
      return part.text
    case 'input_image':
      return part.image_url ?? part.file_id ?? ''
    case 'input_file':
      return part.file_id ?? part.file_url ?? part.file_data ?? part.filename ?? ''
    default:
      return part.data
  }
}
