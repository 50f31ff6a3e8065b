import { getOrCreate } from '../../../collections/get-or-create.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped } from '../../../protocol/loss.ts'
import { isObject } from '../../../text/json.ts'
import type { EditBody, EditedBody } from '../../passthrough-contract.ts'
import type { Quirks } from '../../quirks.ts'
import { isPresent } from '../../shared/passthrough/conditions.ts'
import { unchanged } from '../../shared/passthrough/edits.ts'
import { withMember } from '../../shared/passthrough/members.ts'

type Refused = NonNullable<Quirks['refusesInMessages']>

/** The last two are of answers: blocks with the signatures of Claude (LiteLLM), and images (routers). */
const SIGNATURES = ['extra_content', 'provider_specific_fields', 'thinking_blocks', 'images'] as const

/** Members of Google's own compatible API, for its further settings. */
const GOOGLE = ['extra_content', 'extra_body'] as const

/** Members of an answer that its client sends back as it has received them, and that mean nothing without a value. */
const OF_ANSWERS = ['refusal', 'annotations', 'audio', 'function_call', 'tool_calls'] as const

const BREAKPOINT = 'cache_control'

/** The refused members of each kind of object; others are left out only where they have no value. */
interface Names {
  readonly message: readonly string[]
  /** Results of calls: they may repeat the name of their function. */
  readonly result: readonly string[]
  readonly answer: readonly string[]
  /** Calls and their functions. */
  readonly call: readonly string[]
  /** Parts, and tools with their functions. */
  readonly part: readonly string[]
  /** Names of participants have fewer characters. */
  readonly isNamed: boolean
}

const NOTHING: readonly string[] = []

const resultNames = (refused: Refused): readonly string[] => [
  ...(refused.includes('signatures') ? SIGNATURES : []),
  ...(refused.includes('breakpoints') ? [BREAKPOINT] : []),
]

const namesOf = (refused: Refused): Names => ({
  message: [...resultNames(refused), ...(refused.includes('name') ? ['name'] : [])],
  result: resultNames(refused),
  answer: refused.includes('answers') ? OF_ANSWERS : NOTHING,
  call: [...(refused.includes('signatures') ? SIGNATURES : []), ...(refused.includes('answers') ? ['index'] : [])],
  part: refused.includes('breakpoints') ? [BREAKPOINT] : NOTHING,
  isNamed: refused.includes('oddNames'),
})

const WHY = 'this upstream refuses it'

/** Members without a meaning of their own: `index` repeats the order, annotations belong to the answer. */
const SILENT: ReadonlySet<string> = new Set(['index', 'annotations'])

const isEmpty = (value: Json | undefined): boolean => !isPresent(value) || (Array.isArray(value) && value.length === 0)

/** An entry of a list of a body; null stands for the body. An object without a path, because most have no loss. */
interface Place {
  readonly list: string
  readonly at: number
}

const pathOf = (place: Place | null, name: string): string =>
  place === null ? name : `${place.list}[${place.at}].${name}`

function without(
  value: JsonObject,
  names: readonly string[],
  place: Place | null,
  losses: Loss[],
  inner = '',
): JsonObject {
  let edited = value
  for (const name of names) {
    if (!Object.hasOwn(edited, name)) continue
    if (!SILENT.has(name) && !isEmpty(edited[name])) losses.push(dropped(pathOf(place, inner + name), WHY))
    edited = withMember(edited, name, undefined)
  }
  return edited
}

/** The object without members of an answer that have no value. */
function withoutEmpty(message: JsonObject, names: readonly string[]): JsonObject {
  let edited = message
  for (const name of names)
    if (Object.hasOwn(message, name) && (SILENT.has(name) || isEmpty(message[name])))
      edited = withMember(edited, name, undefined)
  return edited
}

/** Memory of the process: the names of a vendor are the same for each of its requests. */
const OF_VENDORS = new WeakMap<Refused, Names>()

type Change = (value: JsonObject, place: Place) => JsonObject

/** The object with each object of a list changed; the object itself where none changes. */
function withEach(object: JsonObject, name: string, place: Place | null, change: Change): JsonObject {
  if (!Array.isArray(object[name])) return object
  const given = object[name] as readonly Json[]
  const list = pathOf(place, name)
  let edited: Json[] | null = null
  for (let at = 0; at < given.length; at += 1) {
    const one = given[at]
    const changed = isObject(one) ? change(one as JsonObject, { list, at }) : one
    if (changed === one || changed === undefined) continue
    edited ??= [...given]
    edited[at] = changed
  }
  return edited === null ? object : withMember(object, name, edited)
}

/** Removes members of a call or a tool, and of its function. */
const bareFunction =
  (names: readonly string[], losses: Loss[]): Change =>
  (value, place) => {
    const bare = without(value, names, place, losses)
    const { function: called } = bare
    return isObject(called)
      ? withMember(bare, 'function', without(called as JsonObject, names, place, losses, 'function.'))
      : bare
  }

/** "string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'". */
const ODD = /[\s<|\\/>]/g

function usualName(message: JsonObject, place: Place, losses: Loss[]): JsonObject {
  const { name } = message
  if (typeof name !== 'string' || name.search(ODD) < 0) return message
  const usual = name.replace(ODD, '_')
  losses.push(mapped(pathOf(place, 'name'), `sent as ${usual}, because this upstream refuses other characters`))
  return { ...message, name: usual }
}

const bareMessage = ({ message: names, result, answer, call, part, isNamed }: Names, losses: Loss[]): Change => {
  const bareCall = bareFunction(call, losses)
  const barePart: Change = (one, at) => without(one, part, at, losses)
  return (message, place) => {
    const { role } = message
    const named = isNamed ? usualName(message, place, losses) : message
    const own = without(named, role === 'tool' ? result : names, place, losses)
    const bare = role === 'assistant' ? withoutEmpty(own, answer) : own
    const called = call.length === 0 ? bare : withEach(bare, 'tool_calls', place, bareCall)
    return part.length === 0 ? called : withEach(called, 'content', place, barePart)
  }
}

/** Messages and tools without members that this vendor refuses in them, such as signatures of another one. */
export const messageMembers: EditBody = (body, { quirks: { refusesInMessages: refused } }) => {
  if (refused === undefined) return unchanged(body)
  const losses: Loss[] = []
  const names = getOrCreate(OF_VENDORS, refused, namesOf)
  const bare = withEach(body, 'messages', null, bareMessage(names, losses))
  const edited = names.part.length === 0 ? bare : withEach(bare, 'tools', null, bareFunction(names.part, losses))
  return { body: refused.includes('signatures') ? without(edited, GOOGLE, null, losses) : edited, losses }
}

/** The names of participants alone, for a body that the hub encodes. */
export const mendNames = (body: JsonObject, { refusesInMessages: refused = [] }: Quirks): EditedBody => {
  if (!refused.includes('oddNames')) return { body, losses: [] }
  const losses: Loss[] = []
  return { body: withEach(body, 'messages', null, (message, place) => usualName(message, place, losses)), losses }
}

const PLACES = {
  // Others are carried.
  oddNames: /(?!)/,
  signatures:
    /^extra_(?:content|body)(?:\.|$)|^messages\[\d+\](?:\.tool_calls\[\d+\](?:\.function)?)?\.(?:extra_content|provider_specific_fields|thinking_blocks|images)(?:\.|$|\[)/,
  name: /^messages\[\d+\]\.name$/,
  answers: /^messages\[\d+\]\.(?:annotations|refusal|audio)$/,
  breakpoints: /^(?:messages|tools)\[\d+\]\.(?:\w{1,20}(?:\[\d+\])?\.)?cache_control(?:\.|$)/,
} as const satisfies Record<Refused[number], RegExp>

/** Whether the path is that of a member that this vendor refuses in messages. */
export const isRefusedInMessages = (path: string, { refusesInMessages: refused = [] }: Quirks): boolean =>
  refused.some((kind) => PLACES[kind].test(path))
