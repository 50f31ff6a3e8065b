import { getOrCreate } from '../../../collections/get-or-create.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss } from '../../../protocol/loss.ts'
import { isObject } from '../../../text/json.ts'
import type { EditBody } from '../../passthrough-contract.ts'
import type { Quirks } from '../../quirks.ts'
import { isPresent } from '../../shared/passthrough/conditions.ts'
import { withMember } from '../../shared/passthrough/members.ts'

type Refused = NonNullable<Quirks['refusesInMessages']>

const SIGNATURES = ['extra_content', 'provider_specific_fields'] as const

/** Members of Google's own compatible API, for its further settings. */
const GOOGLE = ['extra_content', 'extra_body'] as const

/** Members of an answer that its client sends back as it has received them, and that mean nothing without a value. */
const OF_ANSWERS = ['refusal', 'annotations', 'audio', 'function_call', 'tool_calls'] as const

const BREAKPOINT = 'cache_control'

/** The refused members of each kind of object; others are left out only where they have no value. */
interface Names {
  readonly message: readonly string[]
  readonly answer: readonly string[]
  /** Calls and their functions. */
  readonly call: readonly string[]
  /** Parts, and tools with their functions. */
  readonly part: readonly string[]
}

const NOTHING: readonly string[] = []

const namesOf = (refused: Refused): Names => ({
  message: [
    ...(refused.includes('signatures') ? SIGNATURES : []),
    ...(refused.includes('name') ? ['name'] : []),
    ...(refused.includes('breakpoints') ? [BREAKPOINT] : []),
  ],
  answer: refused.includes('answers') ? OF_ANSWERS : NOTHING,
  call: [...(refused.includes('signatures') ? SIGNATURES : []), ...(refused.includes('answers') ? ['index'] : [])],
  part: refused.includes('breakpoints') ? [BREAKPOINT] : NOTHING,
})

const WHY = 'this upstream refuses it'

/** Members without a meaning of their own: `index` repeats the order, annotations belong to the answer. */
const SILENT: ReadonlySet<string> = new Set(['index', 'annotations'])

const isEmpty = (value: Json | undefined): boolean => !isPresent(value) || (Array.isArray(value) && value.length === 0)

function without(value: JsonObject, names: readonly string[], path: string, losses: Loss[]): JsonObject {
  let edited = value
  for (const name of names) {
    if (!Object.hasOwn(edited, name)) continue
    if (!SILENT.has(name) && !isEmpty(edited[name])) losses.push(dropped(path === '' ? name : `${path}.${name}`, WHY))
    edited = withMember(edited, name, undefined)
  }
  return edited
}

/** The object without members of an answer that have no value. */
function withoutEmpty(message: JsonObject, names: readonly string[]): JsonObject {
  const empty = names.filter((name) => Object.hasOwn(message, name) && (SILENT.has(name) || isEmpty(message[name])))
  return empty.reduce<JsonObject>((edited, name) => withMember(edited, name, undefined), message)
}

/** Memory of the process: the names of a vendor are the same for each of its requests. */
const OF_VENDORS = new WeakMap<Refused, Names>()

type Change = (value: JsonObject, path: string) => JsonObject

/** The object with each object of a list changed; the object itself where none changes. */
function withEach(object: JsonObject, name: string, path: string, change: Change): JsonObject {
  const list = object[name]
  if (!Array.isArray(list)) return object
  const given = list as readonly Json[]
  const edited = given.map((one, at) => (isObject(one) ? change(one as JsonObject, `${path}[${at}]`) : one))
  return edited.every((one, at) => one === given[at]) ? object : withMember(object, name, edited)
}

/** Removes members of a call or a tool, and of its function. */
const bareFunction =
  (names: readonly string[], losses: Loss[]): Change =>
  (value, path) => {
    const bare = without(value, names, path, losses)
    const { function: called } = bare
    return isObject(called)
      ? withMember(bare, 'function', without(called as JsonObject, names, `${path}.function`, losses))
      : bare
  }

const bareMessage =
  ({ message: names, answer, call, part }: Names, losses: Loss[]): Change =>
  (message, path) => {
    // A result may repeat the name of its function.
    const own = message.role === 'tool' ? names.filter((name) => name !== 'name') : names
    const bare = withoutEmpty(without(message, own, path, losses), message.role === 'assistant' ? answer : NOTHING)
    const called =
      call.length === 0 ? bare : withEach(bare, 'tool_calls', `${path}.tool_calls`, bareFunction(call, losses))
    if (part.length === 0) return called
    return withEach(called, 'content', `${path}.content`, (one, at) => without(one, part, at, losses))
  }

/** Messages and tools without members that this vendor refuses in them, such as signatures of another one. */
export const messageMembers: EditBody = (body, { quirks: { refusesInMessages: refused } }) => {
  if (refused === undefined) return { body, losses: [] }
  const losses: Loss[] = []
  const names = getOrCreate(OF_VENDORS, refused, namesOf)
  const bare = withEach(body, 'messages', 'messages', bareMessage(names, losses))
  const edited = names.part.length === 0 ? bare : withEach(bare, 'tools', 'tools', bareFunction(names.part, losses))
  return { body: refused.includes('signatures') ? without(edited, GOOGLE, '', losses) : edited, losses }
}

const PLACES = {
  signatures:
    /^extra_(?:content|body)(?:\.|$)|^messages\[\d+\](?:\.tool_calls\[\d+\](?:\.function)?)?\.(?:extra_content|provider_specific_fields)(?:\.|$)/,
  name: /^messages\[\d+\]\.name$/,
  answers: /^messages\[\d+\]\.(?:annotations|refusal|audio)$/,
  breakpoints: /^(?:messages|tools)\[\d+\]\.(?:\w{1,20}(?:\[\d+\])?\.)?cache_control(?:\.|$)/,
} as const satisfies Record<Refused[number], RegExp>

/** Whether the path is that of a member that this vendor refuses in messages. */
export const isRefusedInMessages = (path: string, { refusesInMessages: refused = [] }: Quirks): boolean =>
  refused.some((kind) => PLACES[kind].test(path))
