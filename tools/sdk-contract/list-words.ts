import type { Declarations } from './read-declarations.ts'
import { discriminatorOf, type TypeModel, variantNames } from './type-model.ts'

/** One step from a type to a part of it. */
export type RouteStep =
  | { readonly kind: 'member'; readonly owner: string; readonly name: string }
  | { readonly kind: 'entry' }
  | { readonly kind: 'value' }
  | { readonly kind: 'variant'; readonly type: TypeModel; readonly word: string | null }
  | { readonly kind: 'word'; readonly value: string | number | boolean }

export type WordKind = 'member' | 'variant' | 'word'

/** One word of a package: a member, a variant of a union, or a value of an enumeration. */
export interface Word {
  /** `Owner.member`, `Union[variant]` or `Place = value`. */
  readonly path: string
  readonly kind: WordKind
  readonly root: string
  /** The shortest way to it from its root. */
  readonly route: readonly RouteStep[]
  readonly type: TypeModel
}

/** A type that waits to be listed. */
interface Waiting {
  readonly type: TypeModel
  readonly place: string
  readonly route: readonly RouteStep[]
}

/**
 * The words that can be reached from a root, in the order of their distance from it. `leaves`: members whose own words
 * are not listed. `names`: enumerations of names, such as those of models, which are one word.
 */
export function listWords(
  { roots, objects, unions }: Declarations,
  root: string,
  leaves: readonly string[] = [],
  names: readonly string[] = [],
): readonly Word[] {
  const words = new Map<string, Word>()
  const seen = new Set<string>()
  const waiting: Waiting[] = [{ type: roots.get(root) as TypeModel, place: root, route: [] }]
  const add = (path: string, kind: WordKind, route: readonly RouteStep[], type: TypeModel): void => {
    if (!words.has(path)) words.set(path, { path, kind, root, route, type })
  }
  const visitObject = (name: string, route: readonly RouteStep[]): void => {
    if (seen.has(name)) return
    seen.add(name)
    const discriminator = discriminatorOf(objects, name)
    for (const [key, { type }] of objects.get(name) ?? []) {
      const step: RouteStep = { kind: 'member', owner: name, name: key }
      const place = `${name}.${key}`
      // Its words are listed as variants of the union.
      if (key === discriminator && name !== root) continue
      add(place, 'member', [...route, step], type)
      if (!leaves.includes(place)) waiting.push({ type, place, route: [...route, step] })
    }
  }
  const visitUnion = (type: TypeModel & { kind: 'union' }, place: string, route: readonly RouteStep[]): void => {
    const own = type.name === null ? type : (unions.get(type.name) as TypeModel)
    if (type.name !== null && seen.has(`[${type.name}]`)) return
    if (type.name !== null) seen.add(`[${type.name}]`)
    const at = type.name ?? place
    for (const variant of own.kind === 'union' ? own.of : [own]) {
      if (variant.kind === 'word') {
        const step: RouteStep = { kind: 'word', value: variant.value }
        add(`${at} = ${names.includes(at) ? '*' : variant.value}`, 'word', [...route, step], variant)
      } else if (variant.kind === 'object') {
        const labels = variantNames(objects, variant.name)
        for (const word of labels)
          if (word !== at)
            add(`${at}[${word}]`, 'variant', [...route, { kind: 'variant', type: variant, word }], variant)
        waiting.push({
          type: variant,
          place: at,
          route: [...route, { kind: 'variant', type: variant, word: labels[0] ?? null }],
        })
      } else
        waiting.push({ type: variant, place: at, route: [...route, { kind: 'variant', type: variant, word: null }] })
    }
  }
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { type, place, route } = next
    if (type.kind === 'object') visitObject(type.name, route)
    else if (type.kind === 'union') visitUnion(type, place, route)
    else if (type.kind === 'list') waiting.push({ type: type.of, place, route: [...route, { kind: 'entry' }] })
    else if (type.kind === 'map')
      waiting.push({ type: type.of, place: `${place}.*`, route: [...route, { kind: 'value' }] })
    else if (type.kind === 'word' && !place.endsWith('.type')) add(`${place} = ${type.value}`, 'word', route, type)
  }
  return [...words.values()]
}
