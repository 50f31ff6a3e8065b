import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { UpstreamCall } from '../../src/engine/upstream-call.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { Result } from '../../src/protocol/result.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import type { Placed } from '../../tools/sdk-contract/base-bodies.ts'
import type { SampleContext } from '../../tools/sdk-contract/build-sample.ts'
import type { Word } from '../../tools/sdk-contract/list-words.ts'
import { requestsOf, valueAtPlace } from '../../tools/sdk-contract/measure-requests.ts'
import { contextOf, declarationsOf, type FoundWord, wordsOf } from '../../tools/sdk-contract/package-words.ts'
import { PACKAGES } from '../../tools/sdk-contract/packages.ts'
import { encodeFrom, protocolOf, routeTo } from '../engine/encode-from.ts'

/**
 * Members that the gateway reads or manages itself, what the edits of the table set (docs/passthrough.md), and what rules
 * correct whatever it says: the type of an image is in its bytes, and the root of a function's schema is an object.
 */
const MANAGED =
  /^(?:models?|stream|store|background|conversation|previous_response_id|prompt|plugins|session_id|trace|max_(?:completion_)?tokens|generationConfig\.maxOutputTokens)\b|\.max_(?:total_results|uses)$|\.source\.media_type$|\.functionDeclarations\.\d+\.parameters\.type$/

const WORD = 'invented-word'
const KINDS = ['type', 'role']

/** The value at the place, in a body that is otherwise the same. */
function withValue(value: Json, [key, ...rest]: Placed['place'], next: Json): Json {
  if (key === undefined) return next
  if (Array.isArray(value)) return value.map((one, at) => (at === key ? withValue(one, rest, next) : one))
  const record = value as JsonObject
  return { ...record, [key]: withValue(record[String(key)] ?? null, rest, next) }
}

/** The values that no version of a package has, for a word of it. */
function inventedFor({ route, type }: Word, given: unknown): readonly Json[] {
  const last = route.at(-1)
  if (last?.kind === 'word') return typeof last.value === 'string' ? [WORD] : []
  if (last?.kind === 'variant') {
    const kind = KINDS.find((name) => typeof (given as JsonObject | null)?.[name] === 'string')
    return kind === undefined ? [] : [{ ...(given as JsonObject), [kind]: WORD }]
  }
  return type.kind === 'number' ? [-7, 0.125, 123_456] : []
}

/** The call that the vendor receives. */
function sentTo(vendor: string, name: WireName, body: Json): Result<UpstreamCall> {
  const row = findVendor(vendor)
  const quirks = row?.wires?.[name]?.quirks ?? row?.quirks ?? {}
  const route = routeTo(vendor, 'some-model', { wire: WIRES[name], quirks })
  return encodeFrom(body, protocolOf(name, route), route)
}

const isAt = (call: Result<UpstreamCall>, place: Placed['place'], value: unknown): boolean =>
  call.ok && call.value.edits !== null && isDeepStrictEqual(valueAtPlace(call.value.body, place), value)

/** The invented values of a word, where its own value passes, and how many of them did not arrive. */
function sentFor(
  context: SampleContext,
  { request }: FoundWord,
): { readonly sent: number; readonly missing: readonly string[] } {
  if (request === null) return { sent: 0, missing: [] }
  const { word, root } = request
  const probe = { context, wire: root.wire, vendor: root.vendor }
  const found = requestsOf(probe, word).flatMap(({ body, place }) => {
    const given = valueAtPlace(body, place)
    const values = MANAGED.test(place.join('.')) ? [] : inventedFor(word, given)
    if (values.length === 0 || !isAt(sentTo(root.vendor, root.wire, body), place, given)) return []
    return values.map((value) => {
      const call = sentTo(root.vendor, root.wire, withValue(body, place, value))
      if (isAt(call, place, value)) return null
      return `${place.join('.')} ${JSON.stringify(value)}: ${call.ok ? call.value.edits : call.error.message}`
    })
  })
  return { sent: found.length, missing: found.filter((line) => line !== null) }
}

const PASSED = PACKAGES.filter(({ roots }) => roots.some(({ wire }) => WIRES[wire].passthrough !== undefined))

describe.each(PASSED)('a request of $name', (sdk) => {
  it('reaches its own protocol with words and numbers that no version of the package has', () => {
    const declarations = declarationsOf(sdk)
    // One for all words: it keeps the samples of types.
    const context = contextOf(sdk, declarations)
    const found = wordsOf(sdk, declarations).map((word) => sentFor(context, word))
    expect([...new Set(found.flatMap(({ missing }) => missing))]).toEqual([])
    expect(found.reduce((sum, { sent }) => sum + sent, 0)).toBeGreaterThan(10)
  })
})
