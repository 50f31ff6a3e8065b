import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getOrCreate } from '../../src/collections/get-or-create.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { formatLoss, type Loss } from '../../src/protocol/loss.ts'
import { engineLosses } from '../../src/search/choose-engine.ts'
import { parseSearch } from '../../src/search/options.ts'
import { isObject } from '../../src/text/json.ts'
import { runSteps } from '../../src/text/steps.ts'
import { pathIn } from '../../src/validation/messages.ts'
import { validateRequest } from '../../src/validation/request.ts'
import type { KnownWire, WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { BODIES } from '../arbitraries/bodies.ts'
import { CHATS, CONTENTS, INTERACTIONS, MESSAGES, OLLAMAS } from '../arbitraries/client-requests.ts'
import { requestsOf } from '../arbitraries/requests.ts'
import { anyCodePoints } from '../arbitraries/strings.ts'
import { encodeFor } from '../engine/encode-request.ts'
import { targetOf } from '../engine/target.ts'
import { check, runsOf, someOf } from '../property.ts'
import { requestOf } from '../request-bodies.ts'

/** No field of a request is dropped in silence: an unread field is a loss with its path and without its value. */

interface Family {
  readonly bodies: readonly JsonObject[]
  /** Returns null if the request is refused. */
  read(body: JsonObject): readonly Loss[] | null
  /** Paths of foreign JSON and of values that are kept whole: their members are not checked. */
  readonly free: RegExp
}

function readBy(name: WireName): Family['read'] {
  const { client }: KnownWire = WIRES[name]
  const address = name === 'gemini-generate' ? { model: 'acme/m', stream: true } : { model: null, stream: null }
  return (body) => {
    const decoded = client === undefined ? null : runSteps(client.decodeRequest(body, { ...address, seal: null }))
    if (!decoded?.ok) return null
    const valid = validateRequest(decoded.body)
    return valid.ok ? [...decoded.losses, ...valid.losses] : null
  }
}

const validated: Family['read'] = (body) => {
  const valid = validateRequest(body)
  return valid.ok ? valid.losses : null
}

const FAMILIES = {
  responses: {
    bodies: BODIES as readonly JsonObject[],
    read: validated,
    free: /(?:\.parameters|\.schema|\.format\.syntax|tools\[\d\]\.format)\b|\.caller$|^metadata|^plugins|^x_search_filter|^tools\[\d\]\.filters/,
  },
  'openai-chat': {
    bodies: CHATS,
    read: readBy('openai-chat'),
    free: /\.(?:parameters|schema|format|arguments)\b|^metadata|^tools\[\d\]\.approximate/,
  },
  'anthropic-messages': {
    bodies: MESSAGES,
    read: readBy('anthropic-messages'),
    free: /\.(?:input|input_schema|schema|user_location|caller)$|_schema\.|\.schema\./,
  },
  'gemini-generate': {
    bodies: CONTENTS,
    read: readBy('gemini-generate'),
    free: /\.(?:args|response|parameters|parametersJsonSchema|responseSchema|responseJsonSchema)\b|^labels/,
  },
  'gemini-interactions': {
    bodies: INTERACTIONS,
    read: readBy('gemini-interactions'),
    free: /\.(?:arguments|result|parameters|schema|headers)\b|^labels/,
  },
  'ollama-chat': { bodies: OLLAMAS, read: readBy('ollama-chat'), free: /\.(?:parameters|arguments)\b|^format/ },
} satisfies Record<string, Family>

const WHOLE: ReadonlySet<unknown> = new Set(['web_search', 'tool_search', 'service:web_search', 'web_search_call'])

interface Spot {
  readonly place: string
  readonly steps: readonly (string | number)[]
}

/** Lists every object of a request that is read field by field. */
function spotsIn(value: unknown, free: RegExp, spot: Spot = { place: '', steps: [] }): readonly Spot[] {
  const { place, steps } = spot
  if (Array.isArray(value)) {
    return value.flatMap((it, at) => spotsIn(it, free, { place: `${place}[${at}]`, steps: [...steps, at] }))
  }
  if (!isObject(value) || free.test(place) || WHOLE.has(value.type)) return []
  const inner = Object.entries(value).flatMap(([name, it]) =>
    spotsIn(it, free, { place: pathIn(place, name), steps: [...steps, name] }),
  )
  return [spot, ...inner]
}

/** Returns the request with one more field at the given path. */
function withField(body: Json, steps: readonly (string | number)[], name: string, value: Json): Json {
  const [step, ...rest] = steps
  if (step === undefined) return Object.fromEntries([...Object.entries(body as JsonObject), [name, value]])
  if (Array.isArray(body)) return body.map((it, at) => (at === step ? withField(it, rest, name, value) : it))
  const entries = Object.entries(body as JsonObject)
  return Object.fromEntries(entries.map(([key, it]) => [key, key === step ? withField(it, rest, name, value) : it]))
}

const pathsOf = (losses: readonly Loss[] | null): readonly string[] => (losses ?? []).map(({ path }) => path)

const KNOWN = new WeakMap<JsonObject, { readonly losses: readonly Loss[] | null }>()

function expectLoss(family: Family, body: JsonObject, spot: Spot, name: string, value: Json): void {
  const { losses: before } = getOrCreate(KNOWN, body, () => ({ losses: family.read(body) }))
  const after = family.read(withField(body, spot.steps, name, value) as JsonObject)
  expect(before, JSON.stringify(body)).not.toBeNull()
  expect(after, `${spot.place} refused`).not.toBeNull()
  expect([...pathsOf(after)].sort()).toEqual([...pathsOf(before), pathIn(spot.place, name)].sort())
}

describe.each(Object.entries<Family>(FAMILIES))('unknown fields in requests of %s', (name, family) => {
  it('reports no loss for the known bodies', () => {
    for (const body of family.bodies) expect(family.read(body)).toEqual([])
  })

  it('reports an unknown field in every object by its path', () => {
    const spots = family.bodies.flatMap((body) => spotsIn(body, family.free).map((spot) => ({ body, spot })))
    expect(spots.length).toBeGreaterThan(8)
    const fields = [
      ['zzz', 1],
      ['zzz', {}],
      ['zzz', false],
      ['__proto__', 1],
    ] as const
    spots.forEach(({ body, spot }, at) => {
      for (const [field, value] of someOf(fields, 2, at)) expectLoss(family, body, spot, field, value)
    })
  })

  it('reports no loss for an unknown field that is null or empty', () => {
    for (const body of family.bodies) {
      for (const { steps } of spotsIn(body, family.free)) {
        for (const nothing of [null, []]) {
          expect(family.read(withField(body, steps, 'zzz', nothing) as JsonObject)).toEqual([])
        }
      }
    }
  })

  it('reports unknown fields of any name, without control characters and without their values', () => {
    const odd = fc.oneof(anyCodePoints(), fc.string({ maxLength: 10_000 }), fc.constantFrom('\r\n', '\u2028', '\u009b'))
    check(
      fc.property(fc.constantFrom(...family.bodies), fc.nat(), odd, (body, at, letters) => {
        const spots = spotsIn(body, family.free)
        const spot = spots[at % spots.length] as Spot
        const given = `zz${letters}`
        expectLoss(family, body, spot, given, { [given]: 'a secret' })
        const lines = family.read(withField(body, spot.steps, given, 'a secret') as JsonObject)?.map(formatLoss) ?? []
        expect(lines.join('\n')).not.toContain('a secret')
        for (const line of lines) {
          expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
          expect(line.length).toBeLessThan(400)
        }
      }),
      300,
    )
  })

  it('reports at most a hundred unknown fields', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`zzz${i}`, 1]))
    const losses = family.read({ ...family.bodies[0], ...many }) ?? []
    expect(losses).toHaveLength(101)
    expect(losses.at(-1)?.path).toBe('and more')
  })

  it('reads the bodies that the wire of that name encodes, and reports an unknown field in them', () => {
    const wire = (name === 'responses' ? 'openai-responses' : name) as WireName
    const counts = { read: 0, all: 0 }
    check(
      fc.property(requestsOf(wire, 'some-model'), fc.nat(), (fields, at) => {
        const encoded = encodeFor(WIRES[wire], requestOf(fields), targetOf(wire))
        if (!encoded.ok) return
        counts.all += 1
        const body = JSON.parse(JSON.stringify({ model: 'acme/m', ...encoded.body })) as JsonObject
        if (family.read(body) === null) return
        counts.read += 1
        const spots = spotsIn(body, family.free)
        expectLoss(family, body, spots[at % spots.length] as Spot, 'zzz', 1)
      }),
      300,
    )
    expect(counts.read).toBeGreaterThan(counts.all / 4)
    expect(counts.read).toBeGreaterThan(runsOf(300) / 6)
  })
})

// ---------------------------------------------------------------- fields of web searches

const SEARCHES: readonly JsonObject[] = [
  {
    type: 'web_search',
    user_location: { type: 'approximate', country: 'CH' },
    filters: { allowed_domains: ['a.example'] },
  },
  { type: 'service:web_search', parameters: { max_results: 3, user_location: { country: 'CH' } } },
]

describe('unknown fields of a web search', () => {
  const spots = SEARCHES.flatMap((tool) =>
    spotsIn({ ...tool, type: '' }, /^$/, { place: 'tools[0]', steps: [] }).map(({ place, steps }) => ({
      place,
      tool: withField(tool, steps, 'zzz', 'yyy'),
    })),
  )

  it.each(spots)('reports $place as a loss if an engine of this server searches', ({ tool, place }) => {
    const read = parseSearch(requestOf({ tools: [tool] }))
    if (!read.ok || read.value.options === null) throw new Error('it is no search')
    expect(pathsOf(engineLosses(read.value.options, 'exa'))).toContain(`${place}.zzz`)
  })

  it.each(spots)('reports $place as a loss or sends it on, with every wire', ({ tool, place }) => {
    for (const wire of Object.values<KnownWire>(WIRES)) {
      const encoded = encodeFor(wire, requestOf({ tools: [tool] }), targetOf(wire.name))
      if (!encoded.ok) continue
      const isReported = pathsOf(encoded.losses).some(
        (path) => `${place}.zzz`.startsWith(path) || path.endsWith('.zzz'),
      )
      expect(isReported || JSON.stringify(encoded.body).includes('yyy'), wire.name).toBe(true)
    }
  })

  it('reports an unknown field of the plugin', () => {
    const read = parseSearch(requestOf({ plugins: [{ id: 'web', zzz: 1 }] }))
    expect(read.ok && pathsOf(read.value.options?.unknownFields ?? [])).toEqual(['plugins[0].zzz'])
  })
})
