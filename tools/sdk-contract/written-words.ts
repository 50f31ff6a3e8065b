import { requestsOf, translate } from './measure-requests.ts'
import { contextOf, declarationsOf, wordsOf } from './package-words.ts'
import { PACKAGES, type PackageRoot, type SdkPackage } from './packages.ts'
import type { Declarations } from './read-declarations.ts'
import { type TypeModel, variantNames } from './type-model.ts'

/**
 * The words of requests that the hub writes to upstreams of this package, for some request of another protocol. Only
 * for protocols that no client speaks.
 */
export function writtenWords(sdk: SdkPackage, declarations: Declarations): ReadonlySet<string> {
  const root = sdk.roots.find(({ direction }) => direction === 'request')
  const written = new Set<string>()
  if (root === undefined || !NO_CLIENTS.includes(root.wire)) return written
  const mark = createMarker(declarations, sdk.camelCase, written)
  const type = declarations.roots.get(root.type)
  if (type !== undefined) for (const body of bodiesFor(root)) mark(type, root.type, body)
  return written
}

const NO_CLIENTS: readonly string[] = ['bedrock-converse', 'cohere-chat']

/** Every sample of every other package, encoded for this upstream. */
function* bodiesFor({ wire, vendor }: PackageRoot): Generator<unknown> {
  for (const other of PACKAGES) {
    const declarations = declarationsOf(other)
    const context = contextOf(other, declarations)
    for (const { request } of wordsOf(other, declarations)) {
      if (request === null) continue
      const probe = { context, wire: request.root.wire, vendor: request.root.vendor }
      for (const { body } of requestsOf(probe, request.word)) {
        const sent = translate(body, request.root.wire, wire, vendor)
        if (sent.ok) yield sent.body
      }
    }
  }
}

const toCamel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Marks the words of a type that a value has. */
function createMarker({ objects, unions }: Declarations, camelCase: boolean, words: Set<string>) {
  const fits = (type: TypeModel, value: unknown): boolean => {
    switch (type.kind) {
      case 'word':
        return value === type.value
      case 'text':
      case 'bytes':
        return typeof value === 'string'
      case 'number':
        return typeof value === 'number'
      case 'flag':
        return typeof value === 'boolean'
      case 'list':
        return Array.isArray(value)
      case 'map':
      case 'anything':
        return true
      case 'union':
        return variantsOf(type).some((one) => fits(one, value))
      case 'object':
        return (
          typeof value === 'object' &&
          value !== null &&
          !Array.isArray(value) &&
          hasRequired(type.name, value as Record<string, unknown>)
        )
    }
  }
  const keyIn = (value: Record<string, unknown>, name: string): unknown =>
    camelCase ? Object.entries(value).find(([key]) => toCamel(key) === name)?.[1] : value[name]
  const hasRequired = (name: string, value: Record<string, unknown>): boolean =>
    [...(objects.get(name) ?? [])].every(([key, { required, type }]) => {
      const own = keyIn(value, key)
      return own === undefined ? !required : type.kind !== 'word' || fits(type, own)
    })
  const variantsOf = (type: TypeModel & { kind: 'union' }): readonly TypeModel[] => {
    const own = type.name === null ? type : unions.get(type.name)
    return own === undefined ? [] : own.kind === 'union' ? own.of : [own]
  }
  const mark = (type: TypeModel, place: string, value: unknown): void => {
    if (value === undefined || value === null) return
    if (type.kind === 'list' && Array.isArray(value)) for (const one of value) mark(type.of, place, one)
    if (type.kind === 'word') words.add(`${place} = ${type.value}`)
    if (type.kind === 'union') {
      const at = type.name ?? place
      for (const variant of variantsOf(type)) {
        if (!fits(variant, value)) continue
        if (variant.kind === 'object')
          for (const name of variantNames(objects, variant.name)) words.add(`${at}[${name}]`)
        mark(variant, at, value)
      }
    }
    if (type.kind === 'object' && typeof value === 'object') {
      for (const [key, member] of objects.get(type.name) ?? []) {
        const own = keyIn(value as Record<string, unknown>, key)
        if (own === undefined) continue
        words.add(`${type.name}.${key}`)
        mark(member.type, `${type.name}.${key}`, own)
      }
    }
  }
  return mark
}
