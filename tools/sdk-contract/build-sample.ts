import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { RouteStep, Word } from './list-words.ts'
import type { Declarations } from './read-declarations.ts'
import type { TypeModel } from './type-model.ts'

/** Values of members for which any value of their type is not a valid one, by member or by `Owner.member`. */
export type Hints = Readonly<Record<string, readonly Json[]>>

/** What a sample is made from. */
export interface SampleContext extends Declarations {
  readonly hints: Hints
  /** The name of a member in the body: some packages rename members. */
  readonly spell: (name: string) => string
}

/** A body with the value of one word. */
export interface Sample {
  readonly body: Json
  /** The place of the value in the body. */
  readonly place: readonly (string | number)[]
}

const DEPTH = 6

const unionOf = ({ unions }: SampleContext, type: TypeModel): TypeModel =>
  type.kind === 'union' && type.name !== null ? (unions.get(type.name) ?? type) : type

/** Values of a type, the most telling first. `key`: the member that they are for. */
export function valuesOf(
  context: SampleContext,
  type: TypeModel,
  owner: string,
  key: string,
  depth = 0,
): readonly Json[] {
  const hinted = context.hints[`${owner}.${key}`] ?? context.hints[key]
  if (hinted !== undefined && (type.kind !== 'object' || `${owner}.${key}` in context.hints)) return hinted
  switch (type.kind) {
    case 'word':
      return [type.value]
    case 'text':
      return [`text-${key}`]
    case 'number':
      return [3, 0.5, 2048]
    case 'flag':
      return [true, false]
    case 'bytes':
      return ['aGVsbG8=']
    case 'anything':
      return [`text-${key}`, { some: 'value' }]
    case 'list':
      return valuesOf(context, type.of, owner, key, depth).map((value) => [value])
    case 'map':
      return valuesOf(context, type.of, owner, key, depth).map((value) => ({ some: value }))
    case 'union': {
      const own = unionOf(context, type)
      return own.kind === 'union'
        ? own.of.flatMap((one) => valuesOf(context, one, owner, key, depth).slice(0, 1))
        : [null]
    }
    case 'object':
      return objectValues(context, type.name, depth + 1)
  }
}

/** An object with what it needs; with each of its members, and with all, if it needs none. */
function objectValues(context: SampleContext, name: string, depth: number): readonly Json[] {
  const least = objectOf(context, name, depth)
  if (depth > 1) return [least]
  const members = [...(context.objects.get(name) ?? [])]
  const isBare = !members.some(([, { required }]) => required)
  const each = isBare
    ? members.slice(1, 4).map(([key, { type }]) => ({ [context.spell(key)]: firstOf(context, type, name, key, depth) }))
    : []
  return [least, ...each, fullObject(context, name, 0)]
}

/** Types that contain each other in unions would otherwise be built anew on every way to them: most of the time. */
const built = new WeakMap<SampleContext, Map<string, JsonObject>>()

function buildOnce(context: SampleContext, key: string, make: () => JsonObject): JsonObject {
  const known = built.get(context) ?? new Map<string, JsonObject>()
  built.set(context, known)
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

/** An object with all its members, as far as they are not too deep. */
const fullObject = (context: SampleContext, name: string, depth: number): JsonObject =>
  buildOnce(context, `full ${name} ${depth}`, () => makeFull(context, name, depth))

function makeFull(context: SampleContext, name: string, depth: number): JsonObject {
  const members = [...(context.objects.get(name) ?? [])]
  return Object.fromEntries(
    members.map(([key, { type }]) => [context.spell(key), fullValue(context, type, name, key, depth)]),
  )
}

function fullValue(context: SampleContext, type: TypeModel, owner: string, key: string, depth: number): Json {
  const own = unionOf(context, type)
  const inner = own.kind === 'union' ? own.of[0] : own
  if (inner?.kind === 'object' && depth < 3 && !(`${owner}.${key}` in context.hints))
    return fullObject(context, inner.name, depth + 1)
  if (inner?.kind === 'list' && !(`${owner}.${key}` in context.hints))
    return [fullValue(context, inner.of, owner, key, depth + 1)]
  return firstOf(context, type, owner, key, depth + 2)
}

const firstOf = (context: SampleContext, type: TypeModel, owner: string, key: string, depth: number): Json =>
  valuesOf(context, type, owner, key, depth)[0] ?? null

/** An object with its required members; with its first member if none is required. */
export const objectOf = (context: SampleContext, name: string, depth = 0): JsonObject =>
  buildOnce(context, `least ${name} ${depth}`, () => makeLeast(context, name, depth))

function makeLeast(context: SampleContext, name: string, depth: number): JsonObject {
  const members = [...(context.objects.get(name) ?? [])]
  if (depth > DEPTH) return {}
  const required = members.filter(([key, member]) => member.required || context.hints[`${name}.${key}!`] !== undefined)
  const chosen = required.length > 0 ? required : members.slice(0, 1)
  return Object.fromEntries(
    chosen.map(([key, { type }]) => [
      context.spell(key),
      context.hints[`${name}.${key}!`]?.[0] ?? firstOf(context, type, name, key, depth),
    ]),
  )
}

const withRequired = (context: SampleContext, name: string): JsonObject => {
  const members = [...(context.objects.get(name) ?? [])]
  const required = members.filter(([key, member]) => member.required || context.hints[`${name}.${key}!`] !== undefined)
  return required.length === 0 ? {} : objectOf(context, name)
}

/** The bodies that have the word, one for each value that its type suggests. */
export function samplesOf(context: SampleContext, word: Word, most = 6): readonly Sample[] {
  const last = word.route.at(-1)
  const owner = last?.kind === 'member' ? last.owner : ''
  const key = last?.kind === 'member' ? last.name : keyOf(word.route)
  const values =
    last?.kind === 'word'
      ? [last.value]
      : last?.kind === 'variant'
        ? variantValues(context, last)
        : valuesOf(context, word.type, owner, key)
  const root = context.roots.get(word.root) as TypeModel
  return values.slice(0, most).map((value) => {
    const place: (string | number)[] = []
    return { body: build(context, root, word.route, value, place), place }
  })
}

const keyOf = (route: readonly RouteStep[]): string => {
  const member = route.findLast((step) => step.kind === 'member')
  return member?.kind === 'member' ? member.name : ''
}

function variantValues(context: SampleContext, { type, word }: RouteStep & { kind: 'variant' }): readonly Json[] {
  if (type.kind !== 'object') return [firstOf(context, type, '', '', 0)]
  return objectValues(context, type.name, 1).map((value) =>
    withDiscriminator(context, type.name, value as JsonObject, word),
  )
}

/** Selects the word of a variant that has several. */
function withDiscriminator(context: SampleContext, name: string, value: JsonObject, word: string | null): JsonObject {
  if (word === null) return value
  const key = ['type', 'role', 'event', 'object'].find((one) => context.objects.get(name)?.get(one) !== undefined)
  const member = key === undefined ? undefined : context.objects.get(name)?.get(key)
  if (key === undefined || member === undefined) return value
  const hasWord = JSON.stringify(unionOf(context, member.type)).includes(`"value":${JSON.stringify(word)}`)
  return hasWord ? { ...value, [context.spell(key)]: word } : value
}

function build(
  context: SampleContext,
  type: TypeModel,
  route: readonly RouteStep[],
  value: Json,
  place: (string | number)[],
): Json {
  const [step, ...rest] = route
  if (step === undefined) return value
  switch (step.kind) {
    case 'member': {
      const member = context.objects.get(step.owner)?.get(step.name)
      const key = context.spell(step.name)
      place.push(key)
      const inner = build(context, member?.type ?? { kind: 'anything' }, rest, value, place)
      return { ...withRequired(context, step.owner), [key]: inner }
    }
    case 'entry':
      place.push(0)
      return [build(context, type.kind === 'list' ? type.of : type, rest, value, place)]
    case 'value':
      place.push('some')
      return { some: build(context, type, rest, value, place) }
    case 'variant': {
      const inner = build(context, step.type, rest, value, place)
      if (rest.length === 0 || step.type.kind !== 'object') return inner
      return withDiscriminator(context, step.type.name, inner as JsonObject, step.word)
    }
    case 'word':
      return step.value
  }
}
