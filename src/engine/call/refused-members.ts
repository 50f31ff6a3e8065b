import type { JsonObject } from '../../protocol/json.ts'
import { dropped, type Loss } from '../../protocol/loss.ts'
import type { PathMap } from '../../protocol/source-map.ts'
import { isObject } from '../../text/json.ts'
import { pathsIn, valueAt } from '../../text/json-path.ts'
import type { Origins } from '../../wires/origins.ts'
import type { SentRequest } from '../client-request.ts'
import { withoutMembers } from '../rules/members.ts'

/** A body with the losses of its encoding. */
interface LossyBody {
  readonly body: JsonObject
  readonly losses: readonly Loss[]
}

/** The records and the request of which the hub made a body. */
interface EncodedOf {
  /** The records of the body; undefined if no path of a refused member leads into a list. */
  readonly origins: Origins | undefined
  /** The client's own paths of a part of the request. */
  readonly originsOf: (path: string) => readonly string[]
  readonly sent: Pick<SentRequest, 'body' | 'toBodyPath'>
  /** Whether the upstream speaks the client's own protocol. */
  readonly isOwn: boolean
}

/** The members that the upstream refuses. */
export interface RefusedMembers {
  readonly paths: readonly string[]
  /** Translates paths of the request that was encoded, or of the client's own body after its edits. */
  readonly toClientPath: PathMap
  /** Null for the client's own body. */
  readonly encoded: EncodedOf | null
}

/** Names of settings in the bodies of upstreams → their paths in a Responses request. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['topP', 'top_p'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['effort', 'reasoning.effort'],
  ['reasoning_effort', 'reasoning.effort'],
  ['thinkingConfig', 'reasoning.effort'],
  ['thinkingLevel', 'reasoning.effort'],
  ['thinking', 'reasoning.effort'],
  ['response_format', 'text.format'],
  ['verbosity', 'text.verbosity'],
  ['serviceTier', 'service_tier'],
  ['user_id', 'user'],
])

/** Names that members of entries of lists, such as messages and tools, have in the protocols; in Responses first. */
const ENTRY_NAMES: readonly (readonly [string, ...string[]])[] = [
  ['call_id', 'tool_call_id', 'tool_use_id', 'toolUseId'],
  ['parameters', 'input_schema', 'inputSchema'],
  ['prompt_cache_breakpoint', 'cache_control'],
]

/** A value around a member, with its own path. */
type Outer = readonly [value: object, path: string]

/** A member of a body, and the values around it from the outside to the inside. */
interface Found {
  readonly path: string
  readonly around: readonly Outer[]
}

/** The members of a body that match a path. */
function membersAt(
  value: unknown,
  [step = '', ...rest]: readonly string[],
  path = '',
  outer: readonly Outer[] = [],
): readonly Found[] {
  if (Array.isArray(value))
    return step === '*' ? value.flatMap((entry, at) => membersAt(entry, rest, `${path}[${at}]`, outer)) : []
  if (!isObject(value) || !Object.hasOwn(value, step)) return []
  const own = path === '' ? step : `${path}.${step}`
  const around = [...outer, [value, path] as const]
  return rest.length === 0 ? [{ path: own, around }] : membersAt(value[step], rest, own, around)
}

const lastName = (path: string): string => path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf(']')) + 1)

const namesOf = (step: string): readonly string[] => ENTRY_NAMES.find((names) => names.includes(step)) ?? [step]

/**
 * The names that a member inside an entry may have in another protocol, also without the members around it: `strict` for
 * `function.strict`.
 */
const namesInside = (inside: string): readonly string[] => {
  const steps = inside.split('.').filter((step) => step !== '')
  return steps.flatMap((first, at) => {
    const rest = steps.slice(at + 1)
    return namesOf(first).map((name) => [name, ...rest].join('.'))
  })
}

/** The client's path of a member inside an entry of a list; null if the client has sent none. */
function placeInEntry({ path, around }: Found, toClientPath: PathMap, encoded: EncodedOf): string | null {
  const made = around.findLast(([value]) => parts(value, encoded).length > 0)
  if (made === undefined) return null
  const [entry, outer] = made
  const places = parts(entry, encoded).flatMap((part) =>
    namesInside(path.slice(outer.length)).flatMap((name) => {
      const place = toClientPath(`${part}.${name}`)
      // A member that the client's protocol does not have is translated to the whole entry.
      const known = place === null || place === toClientPath(part) ? [] : [place]
      return [...known, ...encoded.originsOf(part).map((own) => `${own}.${name}`)]
    }),
  )
  return places.find((place) => hasValue(encoded.sent, place)) ?? null
}

/** Blocks without a record, such as those of a system prompt, are where the client has them. */
const samePlace = (path: string, { sent, isOwn }: EncodedOf): string | null =>
  isOwn && hasValue(sent, path) ? path : null

const hasValue = ({ body, toBodyPath }: EncodedOf['sent'], path: string): boolean =>
  valueAt(body, toBodyPath?.(path) ?? path) !== undefined

const parts = (value: object, { origins }: EncodedOf): readonly string[] =>
  origins?.pathsOf(value).filter((path) => path !== '') ?? []

/** The client's path of a member. One that the client has not sent has the name alone. */
function placeOf(found: Found, { toClientPath, encoded }: RefusedMembers): string {
  const { path } = found
  const name = lastName(path)
  if (encoded === null) return toClientPath(path) ?? name
  if (path.includes('[')) return placeInEntry(found, toClientPath, encoded) ?? samePlace(path, encoded) ?? name
  const own = OWN_NAMES.get(name) ?? name
  // A name of the hub may be the one of another member of the client's body.
  return samePlace(path, encoded) ?? toClientPath(own) ?? own
}

/** Null is the absence of a value: nothing is lost with it. */
function carriesValue({ path, around }: Found): boolean {
  const inner = around.at(-1)?.[0] as Readonly<Record<string, unknown>> | undefined
  return inner?.[lastName(path)] !== null
}

/** Leaves out the members that an upstream refuses, as losses with the client's own paths. */
export function withoutRefused({ body, losses }: LossyBody, refused: RefusedMembers): LossyBody {
  const paths = pathsIn(body, refused.paths)
  if (paths.length === 0) return { body, losses }
  const found = paths.flatMap((path) => membersAt(body, path.split('.')))
  if (found.length === 0) return { body, losses }
  // Members without a place of their own have the same one.
  const places = new Set(found.filter(carriesValue).map((one) => placeOf(one, refused)))
  const lost = [...places].map((path) => dropped(path, 'this model refuses it'))
  return { body: withoutMembers(body, paths), losses: [...losses, ...lost] }
}
