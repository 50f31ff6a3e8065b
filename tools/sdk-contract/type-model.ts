/** The type declarations of a package as plain data: what a body may contain. */
export type TypeModel =
  | { readonly kind: 'object'; readonly name: string }
  | { readonly kind: 'list'; readonly of: TypeModel }
  | { readonly kind: 'map'; readonly of: TypeModel }
  | { readonly kind: 'word'; readonly value: string | number | boolean }
  | { readonly kind: 'union'; readonly name: string | null; readonly of: readonly TypeModel[] }
  | { readonly kind: 'text' | 'number' | 'flag' | 'bytes' | 'anything' }

export interface Member {
  readonly type: TypeModel
  /** It needs a value. */
  readonly required: boolean
  /** It may be left out. A member that is neither required nor optional may be null. */
  readonly optional: boolean
}

/** The objects of a package by name. Anonymous objects have the name of their place: `Owner.member`. */
export type Objects = Map<string, Map<string, Member>>

/** Words of a discriminator: the member that distinguishes the variants of a union. */
const DISCRIMINATORS = ['type', 'role', 'event', 'object'] as const

const wordsOf = (type: TypeModel): readonly string[] => {
  if (type.kind === 'word') return [String(type.value)]
  if (type.kind !== 'union') return []
  const words = type.of.flatMap(wordsOf)
  return words.length === type.of.length ? words : []
}

/** The one member of an object whose other members are impossible: the variants of AWS and of Gemini. */
function onlyMember(members: ReadonlyMap<string, Member>): string | null {
  const names = [...members].filter(([, { required }]) => required).map(([name]) => name)
  return members.size === 1 && names.length === 1 ? (names[0] ?? null) : null
}

/** The names of a variant: its discriminating words, its only member, or the name of its type. */
export function variantNames(objects: Objects, name: string): readonly string[] {
  const members = objects.get(name) ?? new Map<string, Member>()
  for (const discriminator of DISCRIMINATORS) {
    const member = members.get(discriminator)
    const words = member === undefined ? [] : wordsOf(member.type)
    if (words.length > 0) return words
  }
  return [onlyMember(members) ?? name]
}

/** The member that distinguishes this object from other variants; null if it has none. */
export function discriminatorOf(objects: Objects, name: string): string | null {
  const members = objects.get(name)
  return DISCRIMINATORS.find((one) => wordsOf(members?.get(one)?.type ?? { kind: 'text' }).length > 0) ?? null
}

/** Joins two declarations of one name: the members of both. */
export function joinMembers(objects: Objects, name: string, members: ReadonlyMap<string, Member>): void {
  const known = objects.get(name) ?? new Map<string, Member>()
  objects.set(name, known)
  for (const [key, member] of members) {
    const before = known.get(key)
    known.set(key, before === undefined ? member : joinMember(before, member))
  }
}

const joinMember = (first: Member, second: Member): Member => ({
  type: unionOf(null, [first.type, second.type]),
  required: first.required && second.required,
  optional: first.optional || second.optional,
})

const same = (a: TypeModel, b: TypeModel): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A union without repetitions; its only member if there is one. */
export function unionOf(name: string | null, of: readonly TypeModel[]): TypeModel {
  const flat = of.flatMap((type) =>
    type.kind === 'union' && (type.name === null || type.name === name) ? type.of : [type],
  )
  const distinct = flat.filter((type, at) => flat.findIndex((other) => same(type, other)) === at)
  const [only] = distinct
  return distinct.length === 1 && only !== undefined ? only : { kind: 'union', name, of: distinct }
}
