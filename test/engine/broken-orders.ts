import type { Facts } from '../../src/engine/rules/rule.ts'
import type { JsonObject, JsonRecord } from '../../src/protocol/json.ts'
import { isObject, toArray } from '../../src/text/json.ts'
import { shapeOf } from '../../src/wires/body-contract.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { toCallId } from '../../src/wires/shared/upstream/call-ids.ts'

/**
 * Reads the conversation that an upstream receives, and names what a vendor refuses in it: the places, the ids and the
 * forms of calls and results, and empty contents. It restates these rules from the side of the vendor.
 */
type Check = (body: JsonObject, facts: Facts) => readonly string[]

const objects = (list: unknown): readonly JsonRecord[] => toArray(list).filter(isObject)

const repeated = (ids: readonly unknown[]): readonly unknown[] => ids.filter((id, at) => ids.indexOf(id) !== at)

/** Compares the calls of an answer with the results directly behind it. */
function pairing(place: string, called: readonly unknown[], answered: readonly unknown[]): readonly string[] {
  return [
    ...repeated(called).map((id) => `${place}: two calls have the id ${id}`),
    ...repeated(answered).map((id) => `${place}: two results of ${id}`),
    ...called.filter((id) => !answered.includes(id)).map((id) => `${place}: no result of ${id} behind its call`),
    ...answered.filter((id) => !called.includes(id)).map((id) => `${place}: the result of ${id} is misplaced`),
  ]
}

const isNothing = (content: unknown): boolean =>
  content === undefined || content === null || (Array.isArray(content) && content.length === 0)

const chat: Check = ({ messages }) => {
  const list = objects(messages)
  return list.flatMap((message, at) => {
    const { role, content, tool_calls: given } = message
    const calls = objects(given)
    const next = list.slice(at + 1)
    const end = next.findIndex((one) => one.role !== 'tool')
    const results = role === 'assistant' ? next.slice(0, end < 0 ? next.length : end) : []
    const isStray = role === 'tool' && !['tool', 'assistant'].includes(String(list[at - 1]?.role))
    return [
      ...(isStray ? [`${at}: a result behind no answer`] : []),
      ...pairing(
        String(at),
        calls.map(({ id }) => id),
        results.map(({ tool_call_id: id }) => id),
      ),
      ...(isNothing(content) && calls.length === 0 ? [`${at}: no content`] : []),
      ...(Array.isArray(given) && given.length === 0 ? [`${at}: no calls in a list`] : []),
      ...calls
        .filter(({ function: one }) => !isObject(one) || typeof one.arguments !== 'string')
        .map(({ id }) => `${at}: arguments of ${id} that are no text`),
    ]
  })
}

/** Consecutive messages of one role are one turn. */
function turnsOf(list: readonly JsonRecord[], member: string): readonly { role: unknown; blocks: JsonRecord[] }[] {
  const turns: { role: unknown; blocks: JsonRecord[] }[] = []
  for (const message of list) {
    const content = message[member]
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content)
    const last = turns.at(-1)
    if (last !== undefined && last.role === message.role) last.blocks.push(...blocks)
    else turns.push({ role: message.role, blocks: [...blocks] })
  }
  return turns
}

const isBlank = ({ type, text }: JsonRecord): boolean => type === 'text' && String(text).trim() === ''

const messages: Check = (body, { model: { family = 'claude' } }) => {
  const list = objects(body.messages)
  const turns = turnsOf(list, 'content')
  const ids = turns.flatMap(({ blocks }) => blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])))
  return [
    ...(turns[0]?.role === 'user' ? [] : ['the first message is no question']),
    ...repeated(ids).map((id) => `two calls have the id ${id}`),
    ...ids.filter((id) => !/^[\w-]+$/.test(String(id))).map((id) => `the id ${id}`),
    ...list.slice(0, -1).flatMap(({ content }, at) => (isNothing(content) || content === '' ? [`${at}: empty`] : [])),
    ...turns.flatMap(({ role, blocks }, at) => {
      if (blocks.some(isBlank)) return [`${at}: blank text`]
      if (role !== 'assistant') {
        const first = blocks.findIndex(({ type }) => type !== 'tool_result')
        const isLate = first >= 0 && blocks.slice(first).some(({ type }) => type === 'tool_result')
        const isStray = at === 0 && blocks.some(({ type }) => type === 'tool_result')
        const isEmpty = blocks.some(({ content }) => objects(content).some((one) => one.text === ''))
        return [
          ...(isLate ? [`${at}: a result behind text`] : []),
          ...(isStray ? [`${at}: a result behind no answer`] : []),
          ...(isEmpty ? [`${at}: an empty text in a result`] : []),
        ]
      }
      const calls = blocks.filter(({ type }) => type === 'tool_use')
      const behind = blocks.slice(blocks.findLastIndex(({ type }) => type === 'tool_use') + 1)
      const areTexts = calls.length > 0 && behind.length > 0 && behind.every(({ type }) => type === 'text')
      const results = (turns[at + 1]?.blocks ?? []).filter(({ type }) => type === 'tool_result')
      return [
        ...pairing(
          String(at),
          calls.map(({ id }) => id),
          results.map(({ tool_use_id: id }) => id),
        ),
        ...(family === 'claude' && areTexts ? [`${at}: text behind the calls`] : []),
        ...calls.filter(({ input }) => !isObject(input)).map(({ id }) => `${at}: an input of ${id} that is no object`),
      ]
    }),
  ]
}

const gemini: Check = ({ contents }) => {
  const list = objects(contents)
  const count = (one: JsonRecord | undefined, member: string): number =>
    objects(one?.parts).filter((part) => part[member] !== undefined).length
  let open = 0
  const found = list.flatMap((content, at): readonly string[] => {
    const [calls, responses] = [count(content, 'functionCall'), count(content, 'functionResponse')]
    const parts = objects(content.parts)
    const broken = [
      ...(parts.length === 0 ? [`${at}: no parts`] : []),
      ...(parts.some((part) => Object.keys(part).length === 0) ? [`${at}: an empty part`] : []),
      ...parts.flatMap(({ functionCall: call }) =>
        isObject(call) && call.args !== undefined && !isObject(call.args) ? [`${at}: args that are no object`] : [],
      ),
    ]
    if (content.role === 'model') {
      if (at === 0 && calls > 0) broken.push('the first content is a call')
      if (list[at - 1]?.role !== 'model' && open > 0) broken.push(`${at}: ${open} responses are missing`)
      open = list[at - 1]?.role === 'model' ? open + calls : calls
      return broken
    }
    if (responses !== open) broken.push(`${at}: ${responses} responses to ${open} calls`)
    open = 0
    return broken
  })
  return open > 0 ? [...found, `${open} responses are missing at the end`] : found
}

/** Items: a result stands behind its call, and each call has one. */
const items =
  (call: string, callId: string, result: string, isPrompt: (item: JsonRecord) => boolean): Check =>
  ({ input }) => {
    const open = new Set<unknown>()
    const broken: string[] = []
    for (const [at, item] of objects(input).entries()) {
      if (item.type === call) {
        if (open.has(item[callId])) broken.push(`${at}: two calls have the id ${item[callId]}`)
        open.add(item[callId])
      } else if (item.type === result) {
        if (!open.delete(item.call_id)) broken.push(`${at}: the result of ${item.call_id} has no call before it`)
      } else if (isPrompt(item) && open.size > 0) broken.push(`${at}: a question before the results`)
    }
    return [...broken, ...[...open].map((id) => `no result of ${id}`)]
  }

const responses: Check = (body, { quirks }) =>
  items('function_call', 'call_id', 'function_call_output', () => quirks.outputsFollowCalls === true)(body, {} as Facts)

const interactions = items('function_call', 'id', 'function_result', ({ type }) => type === 'user_input')

/** Results may stand anywhere. */
const ollama: Check = ({ messages: list }) => {
  const calls = objects(list).flatMap(({ tool_calls: given }) => objects(given))
  const results = objects(list).flatMap(({ role, tool_call_id: id }) => (role === 'tool' ? [id] : []))
  const count = (ids: readonly unknown[], id: unknown): number => ids.filter((one) => one === id).length
  const called = calls.map(({ id }) => id)
  return [
    ...new Set([...called, ...results].filter((id) => count(called, id) !== count(results, id))),
    ...calls.filter(({ function: one }) => !isObject(one) || !isObject(one.arguments)).map(({ id }) => id),
  ].map((id) => `the call ${id}`)
}

const CHECKS: Partial<Record<WireName, Check>> = {
  'openai-chat': chat,
  'anthropic-messages': messages,
  'gemini-generate': gemini,
  'openai-responses': responses,
  'gemini-interactions': interactions,
  'ollama-chat': ollama,
}

const ids: Check = (body, { wire, quirks: { callIds } }) =>
  (shapeOf(wire).calls?.(body) ?? [])
    .filter(({ id }) => toCallId(id, callIds) !== id)
    .map(({ path, id }) => `${path}: the id ${id}`)

const isPrompt = ({ role, content }: JsonRecord): boolean =>
  role === 'user' &&
  (typeof content === 'string' ? /\S/.test(content) : objects(content).some((part) => !isBlank(part)))

const prompts: Check = ({ messages: list }, { quirks, model }) =>
  (quirks.needsUser === true || model.needsUser === true) && Array.isArray(list) && !objects(list).some(isPrompt)
    ? ['no message of the user']
    : []

/** Returns what the vendors of a wire refuse in the conversation of a body. */
export const brokenOrders = (body: JsonObject, facts: Facts): readonly string[] => [
  ...(CHECKS[facts.wire.name as WireName]?.(body, facts) ?? []),
  ...ids(body, facts),
  ...prompts(body, facts),
]
