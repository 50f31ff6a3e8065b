import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss } from '../../../protocol/loss.ts'
import { isObject } from '../../../text/json.ts'
import type { EditBody } from '../../passthrough-contract.ts'
import type { Quirks } from '../../quirks.ts'
import { withMember } from '../../shared/passthrough/members.ts'

type Refused = NonNullable<Quirks['refusesInMessages']>

const SIGNATURES = ['extra_content', 'provider_specific_fields'] as const

/** Members of Google's own compatible API, for its further settings. */
const GOOGLE = ['extra_content', 'extra_body'] as const

/** The names of refused members of a message. Calls and their functions have the signatures only. */
const namesIn = (refused: Refused): readonly string[] => [
  ...(refused.includes('signatures') ? SIGNATURES : []),
  ...(refused.includes('name') ? ['name'] : []),
]

const WHY = 'this upstream refuses it'

function without(value: JsonObject, names: readonly string[], path: string, losses: Loss[]): JsonObject {
  let edited = value
  for (const name of names) {
    if (!Object.hasOwn(edited, name)) continue
    losses.push(dropped(path === '' ? name : `${path}.${name}`, WHY))
    edited = withMember(edited, name, undefined)
  }
  return edited
}

const mayHave = (message: Json, names: readonly string[]): boolean =>
  isObject(message) && (message.tool_calls !== undefined || names.some((name) => message[name] !== undefined))

function bareCall(call: Json, path: string, losses: Loss[]): Json {
  if (!isObject(call)) return call
  const bare = without(call as JsonObject, SIGNATURES, path, losses)
  const { function: called } = bare
  return isObject(called)
    ? withMember(bare, 'function', without(called as JsonObject, SIGNATURES, `${path}.function`, losses))
    : bare
}

function bareMessage(message: Json, names: readonly string[], path: string, losses: Loss[]): Json {
  if (!isObject(message)) return message
  const bare = without(message as JsonObject, names, path, losses)
  const { tool_calls: calls } = bare
  if (!Array.isArray(calls) || !names.includes(SIGNATURES[0])) return bare
  const known = losses.length
  const edited = (calls as readonly Json[]).map((call, at) => bareCall(call, `${path}.tool_calls[${at}]`, losses))
  return losses.length === known ? bare : withMember(bare, 'tool_calls', edited)
}

/** Messages without members that this vendor refuses in them, such as signatures of another one. */
export const messageMembers: EditBody = (body, { quirks: { refusesInMessages: refused } }) => {
  const { messages } = body
  if (refused === undefined || !Array.isArray(messages)) return { body, losses: [] }
  const losses: Loss[] = []
  const names = namesIn(refused)
  const list = messages as readonly Json[]
  const edited = list.some((one) => mayHave(one, names))
    ? list.map((one, at) => bareMessage(one, names, `messages[${at}]`, losses))
    : list
  const kept = losses.length === 0 ? body : withMember(body, 'messages', edited)
  return { body: refused.includes('signatures') ? without(kept, GOOGLE, '', losses) : kept, losses }
}

const PLACES = {
  signatures:
    /^extra_(?:content|body)(?:\.|$)|^messages\[\d+\](?:\.tool_calls\[\d+\](?:\.function)?)?\.(?:extra_content|provider_specific_fields)(?:\.|$)/,
  name: /^messages\[\d+\]\.name$/,
} as const satisfies Record<Refused[number], RegExp>

/** Whether the path is that of a member that this vendor refuses in messages. */
export const isRefusedInMessages = (path: string, { refusesInMessages: refused = [] }: Quirks): boolean =>
  refused.some((kind) => PLACES[kind].test(path))
