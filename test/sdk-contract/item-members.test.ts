import { describe, expect, it } from 'vitest'
import { HOSTED_SCHEMAS } from '../../src/conformance/hosted-schemas.ts'
import type { HostedItemType } from '../../src/protocol/item.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { HOSTED_MEMBERS } from '../../src/responses/hosted-members.ts'
import { isObject } from '../../src/text/json.ts'
import { declarationsOf } from '../../tools/sdk-contract/package-words.ts'
import { PACKAGES } from '../../tools/sdk-contract/packages.ts'
import { type Member, type TypeModel, variantNames } from '../../tools/sdk-contract/type-model.ts'

/** Members that both tables leave to the code around them. */
const COMMON: ReadonlySet<string> = new Set(['id', 'type', 'status'])

const sdk = PACKAGES.find(({ id }) => id === 'openai')
if (sdk === undefined) throw new Error('The package openai is missing.')
const { objects, unions } = declarationsOf(sdk)

const objectsOf = (type: TypeModel | undefined): readonly string[] =>
  type?.kind === 'object' ? [type.name] : type?.kind === 'union' ? type.of.flatMap(objectsOf) : []

/** The declaration of each type of item that an answer can have. */
const ITEMS = new Map(
  objectsOf(unions.get('ResponseOutputItem')).flatMap((name) =>
    variantNames(objects, name).map((type) => [type, objects.get(name) ?? new Map<string, Member>()] as const),
  ),
)

const wordsOf = (type: TypeModel): readonly string[] =>
  type.kind === 'word' ? [`${type.value}`] : type.kind === 'union' ? type.of.flatMap(wordsOf) : []

const requiredOf = (members: ReadonlyMap<string, Member>): readonly string[] =>
  [...members].flatMap(([name, { optional }]) => (optional ? [] : [name])).sort()

const own = (names: readonly string[]): readonly string[] => names.filter((name) => !COMMON.has(name)).sort()

const TYPES = Object.keys(HOSTED_MEMBERS) as HostedItemType[]

describe.each(TYPES)('the members of the item %s', (type) => {
  const { names, content, statuses } = HOSTED_MEMBERS[type]
  const written: JsonObject = { ...names, ...content }
  const members = ITEMS.get(type) ?? new Map<string, Member>()

  it('are those that the type of OpenAI requires', () => {
    expect(members.size).toBeGreaterThan(0)
    expect(Object.keys(written).sort()).toEqual(own(requiredOf(members)))
  })

  it('have the members inside that the type requires', () => {
    for (const [name, value] of Object.entries(written)) {
      if (!isObject(value) || Object.keys(value).length === 0) continue
      const inside = objectsOf(members.get(name)?.type).map((object) => requiredOf(objects.get(object) ?? new Map()))
      expect(inside).toContainEqual(Object.keys(value).sort())
    }
  })

  it('are checked by the checker of streams, with the statuses of the type', () => {
    const { status, ...checked } = HOSTED_SCHEMAS[type].fields as Readonly<Record<string, (value: unknown) => boolean>>
    expect(Object.keys(checked).sort()).toEqual(Object.keys(written).sort())
    const known = members.get('status')
    expect([...(statuses ?? [])].sort()).toEqual(known === undefined ? [] : [...wordsOf(known.type)].sort())
    for (const word of statuses ?? []) expect(status?.(word)).toBe(true)
    expect(status?.('toString') ?? false).toBe(false)
  })
})
