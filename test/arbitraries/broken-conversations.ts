import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'

/**
 * Conversations with calls that a client has cut, mixed up or doubled: each begins as a sound one, and some of its pieces
 * are then moved, repeated, left out or replaced.
 */

interface Piece {
  readonly who: 'user' | 'answer' | 'call' | 'result'
  /** Of a text; the arguments of a call. */
  readonly text: string
  /** Of a call and its result. */
  readonly id: string
  /** Whether it begins a message of its own, where the one before has the same role. */
  readonly isApart: boolean
}

const IDS = ['call_1', 'call_2', 'call_3', 'functions.look:0', 'x'.repeat(70)] as const

const piece = (who: Piece['who'], text: string, id = ''): Piece => ({ who, text, id, isApart: false })

/** A turn: the user asks, the model calls some tools, and all of them have answered. */
const turn: fc.Arbitrary<readonly Piece[]> = fc
  .record({
    ids: fc.uniqueArray(fc.constantFrom(...IDS.slice(0, 3)), { maxLength: 3 }),
    isReversed: fc.boolean(),
    /** Whether the model also speaks, and where: some models do behind their calls. */
    says: fc.constantFrom('nothing', 'first', 'last'),
    ends: fc.boolean(),
  })
  .map(({ ids, isReversed, says, ends }) => [
    piece('user', 'Hi'),
    ...(says === 'first' || ids.length === 0 ? [piece('answer', 'Well')] : []),
    ...ids.map((id) => piece('call', '{"a":"b"}', id)),
    ...(says === 'last' && ids.length > 0 ? [piece('answer', 'So')] : []),
    ...(isReversed ? [...ids].reverse() : ids).map((id) => piece('result', 'found', id)),
    ...(ends && ids.length > 0 ? [piece('answer', 'Done')] : []),
  ])

/** A change of one piece of a conversation. `at` is a share of its length. */
interface Damage {
  readonly kind: 'move' | 'repeat' | 'drop' | 'text' | 'id' | 'apart' | 'ask'
  readonly at: number
  readonly to: number
  readonly text: string
  readonly id: string
}

const ORDERS = ['move', 'move', 'repeat', 'drop', 'id', 'apart', 'ask'] as const

const damageOf = (kinds: readonly Damage['kind'][]): fc.Arbitrary<Damage> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    at: fc.nat({ max: 99 }),
    to: fc.nat({ max: 99 }),
    text: fc.constantFrom('', ' \n', 'other', '{"a":', '[1]'),
    id: fc.constantFrom(...IDS),
  })

function damaged(pieces: readonly Piece[], { kind, at, to, text, id }: Damage): readonly Piece[] {
  const [from, place] = [at % pieces.length, to % (pieces.length + 1)]
  const one = pieces[from] as Piece
  const without = pieces.filter((_, index) => index !== from)
  const isCall = one.who === 'call' || one.who === 'result'
  switch (kind) {
    case 'move':
      return [...without.slice(0, place), one, ...without.slice(place)]
    case 'repeat':
      return [...pieces.slice(0, place), one, ...pieces.slice(place)]
    case 'drop':
      return without.length === 0 ? pieces : without
    case 'text':
      return pieces.with(from, { ...one, text })
    case 'id':
      return isCall ? pieces.map((other) => (other.id === one.id ? { ...other, id } : other)) : pieces
    case 'apart':
      return pieces.with(from, { ...one, isApart: true })
    case 'ask':
      return [...pieces.slice(0, place), piece('user', 'Wait'), ...pieces.slice(place)]
  }
}

const conversation = (kinds: readonly Damage['kind'][]): fc.Arbitrary<readonly Piece[]> =>
  fc
    .record({
      turns: fc.array(turn, { minLength: 1, maxLength: 3 }),
      damages: fc.array(damageOf(kinds), { maxLength: 3 }),
      asks: fc.boolean(),
      numbers: fc.boolean(),
    })
    .map(({ turns, damages, asks, numbers }) => {
      const own = turns.flatMap((pieces, at) =>
        pieces.map((one) => (numbers && one.id !== '' ? { ...one, id: `${one.id}_${at}` } : one)),
      )
      return damages.reduce(damaged, [...own, ...(asks ? [piece('user', 'Go on')] : [])])
    })

// ---------------------------------------------------------------- bodies

/** Pieces of one message. */
function messagesOf(pieces: readonly Piece[], joins: (before: Piece, next: Piece) => boolean): readonly Piece[][] {
  const messages: Piece[][] = []
  for (const one of pieces) {
    const open = messages.at(-1)
    const before = open?.at(-1)
    if (open !== undefined && before !== undefined && !one.isApart && joins(before, one)) open.push(one)
    else messages.push([one])
  }
  return messages
}

const isModel = ({ who }: Piece): boolean => who === 'answer' || who === 'call'
const sameSide = (before: Piece, next: Piece): boolean => isModel(before) === isModel(next)

const argumentsOf = (text: string): Json => (text === '{"a":"b"}' ? { a: 'b' } : text)

/** The name of a tool belongs to its call. */
const TOOL = 'look'

type Write = (pieces: readonly Piece[]) => JsonObject

const PARAMETERS = { type: 'object', properties: { a: { type: 'string' } } }
const FLAT = { type: 'function', name: TOOL, parameters: PARAMETERS, strict: false }
const NESTED = [{ type: 'function', function: { name: TOOL, parameters: PARAMETERS } }]

const chat: Write = (pieces) => ({
  model: 'vendor/model',
  tools: NESTED,
  messages: messagesOf(pieces, (before, next) => isModel(before) && next.who === 'call').map((parts): JsonObject => {
    const [first] = parts as [Piece, ...Piece[]]
    if (first.who === 'user') return { role: 'user', content: first.text }
    if (first.who === 'result') return { role: 'tool', tool_call_id: first.id, content: first.text }
    const calls = parts.filter(({ who }) => who === 'call')
    return {
      role: 'assistant',
      content: first.who === 'answer' ? first.text : null,
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, text }) => ({
              id,
              type: 'function',
              function: { name: TOOL, arguments: text === '[1]' ? { a: 'b' } : text },
            })),
          }),
    }
  }),
})

const ollama: Write = (pieces) => ({
  model: 'vendor/model',
  tools: NESTED,
  messages: messagesOf(pieces, (before, next) => isModel(before) && next.who === 'call').map((parts): JsonObject => {
    const [first] = parts as [Piece, ...Piece[]]
    if (first.who === 'user') return { role: 'user', content: first.text }
    if (first.who === 'result') return { role: 'tool', tool_call_id: first.id, tool_name: TOOL, content: first.text }
    const calls = parts.filter(({ who }) => who === 'call')
    return {
      role: 'assistant',
      content: first.who === 'answer' ? first.text : '',
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, text }) => ({ id, function: { name: TOOL, arguments: argumentsOf(text) } })),
          }),
    }
  }),
})

const messages: Write = (pieces) => ({
  model: 'vendor/model',
  max_tokens: 4096,
  tools: [{ name: TOOL, input_schema: PARAMETERS }],
  messages: messagesOf(pieces, sameSide).map(
    (parts): JsonObject => ({
      role: isModel(parts[0] as Piece) ? 'assistant' : 'user',
      content: parts.map(({ who, text, id }): JsonObject => {
        if (who === 'call') return { type: 'tool_use', id, name: TOOL, input: argumentsOf(text) }
        if (who === 'result') return { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] }
        return { type: 'text', text }
      }),
    }),
  ),
})

const gemini: Write = (pieces) => ({
  tools: [{ functionDeclarations: [{ name: TOOL, parametersJsonSchema: PARAMETERS }] }],
  contents: messagesOf(pieces, sameSide).map(
    (parts): JsonObject => ({
      role: isModel(parts[0] as Piece) ? 'model' : 'user',
      parts: parts.map(({ who, text, id }): JsonObject => {
        if (who === 'call')
          return { functionCall: { id, name: TOOL, args: argumentsOf(text) }, thoughtSignature: 'c2ln' }
        if (who === 'result') return { functionResponse: { id, name: TOOL, response: { output: text } } }
        return text === ' \n' ? {} : { text }
      }),
    }),
  ),
})

const responses: Write = (pieces) => ({
  model: 'vendor/model',
  tools: [FLAT],
  input: pieces.map(({ who, text, id }): JsonObject => {
    if (who === 'call') return { type: 'function_call', call_id: id, name: TOOL, arguments: text }
    if (who === 'result') return { type: 'function_call_output', call_id: id, output: text }
    return { role: who === 'user' ? 'user' : 'assistant', content: text }
  }),
})

const interactions: Write = (pieces) => ({
  model: 'vendor/model',
  tools: [{ type: 'function', name: TOOL, parameters: PARAMETERS }],
  input: pieces.map(({ who, text, id }): JsonObject => {
    if (who === 'call')
      return { type: 'function_call', id, name: TOOL, arguments: argumentsOf(text), signature: 'c2ln' }
    if (who === 'result') return { type: 'function_result', call_id: id, name: TOOL, result: text }
    return { type: who === 'user' ? 'user_input' : 'model_output', content: [{ type: 'text', text }] }
  }),
})

const WRITERS = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  'gemini-generate': gemini,
  'gemini-interactions': interactions,
  'ollama-chat': ollama,
} as const satisfies Partial<Record<WireName, Write>>

export type ConversationClient = keyof typeof WRITERS

export const CONVERSATION_CLIENTS = Object.keys(WRITERS) as readonly ConversationClient[]

/** A body of a client of this protocol with such a conversation. */
export const brokenConversation = (client: ConversationClient): fc.Arbitrary<JsonObject> =>
  conversation([...ORDERS, 'text']).map(WRITERS[client])

/** The same, with no text replaced: some of them are sound. */
export const brokenOrder = (client: ConversationClient): fc.Arbitrary<JsonObject> =>
  conversation(ORDERS).map(WRITERS[client])
