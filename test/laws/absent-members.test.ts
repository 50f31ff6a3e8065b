import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatLoss } from '../../src/protocol/loss.ts'
import { VENDOR_NAMES } from '../../src/vendors/registry.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { encodeFrom, protocolOf, routeTo } from '../engine/encode-from.ts'
import { check } from '../property.ts'

/**
 * Law 14: what the absence of a member means to the client is what the upstream does. The meanings are written here a
 * second time, as each vendor documents them, and read from the body of each pair of client and vendor.
 */

// biome-ignore lint/suspicious/noExplicitAny: reads fields of bodies of every wire
type Loose = any

interface Schema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required: readonly string[]
  readonly additionalProperties?: boolean
}

interface Asked {
  readonly parameters: Schema
  readonly effort?: true
  /** The client turns reasoning on in the members of its own protocol that show it. */
  readonly reads?: true
  readonly format?: Schema
}

const when = <T extends object>(value: unknown, fields: T): T | object => (value === undefined ? {} : fields)

const BODIES: Partial<Record<WireName, (asked: Asked) => object>> = {
  'openai-responses': ({ parameters, format, effort }) => ({
    model: 'acme/m',
    input: 'Hi',
    tools: [{ type: 'function', name: 'f', parameters }],
    ...when(format, { text: { format: { type: 'json_schema', name: 'n', schema: format } } }),
    ...when(effort, { reasoning: { effort: 'high' } }),
  }),
  'openai-chat': ({ parameters, format, effort, reads }) => ({
    model: 'acme/m',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
    ...when(format, { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: format } } }),
    ...when(effort, { reasoning_effort: 'high' }),
    ...when(reads, { reasoning: { effort: 'high' } }),
  }),
  'anthropic-messages': ({ parameters, format, effort, reads }) => ({
    model: 'acme/m',
    max_tokens: 4000,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ name: 'f', input_schema: parameters }],
    output_config: {
      ...when(format, { format: { type: 'json_schema', schema: format } }),
      ...when(effort ?? reads, { effort: 'high' }),
    },
    ...when(reads, { thinking: { type: 'adaptive' } }),
  }),
  'gemini-generate': ({ parameters, format, effort, reads }) => ({
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: parameters }] }],
    generationConfig: {
      ...when(format, { responseMimeType: 'application/json', responseJsonSchema: format }),
      ...when(effort, { thinkingConfig: { thinkingLevel: 'HIGH' } }),
      ...when(reads, { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } }),
    },
  }),
  'gemini-interactions': ({ parameters, format, effort, reads }) => ({
    model: 'acme/m',
    input: 'Hi',
    tools: [{ type: 'function', name: 'f', parameters }],
    ...when(format, { response_format: { type: 'text', mime_type: 'application/json', schema: format } }),
    generation_config: {
      ...when(effort ?? reads, { thinking_level: 'high' }),
      ...when(reads, { thinking_summaries: 'auto' }),
    },
  }),
  'ollama-chat': ({ parameters, format, reads }) => ({
    model: 'acme/m',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
    ...when(format, { format }),
    ...when(reads, { think: true }),
  }),
}

const CLIENTS = Object.keys(BODIES) as WireName[]

/** Models of OpenAI at its own vendors, which reason and are strict; any other name elsewhere. */
const modelAt = (vendor: string): string =>
  /^(?:openai|azure|chatgpt|copilot)/.test(vendor) ? 'gpt-5.4' : 'some-model'

function sentTo(vendor: string, client: WireName, asked: Asked) {
  const route = routeTo(vendor, modelAt(vendor), { passthrough: false })
  const body = BODIES[client]?.(asked) ?? expect.unreachable(client)
  const call = encodeFrom(body, protocolOf(client, route), route)
  if (!call.ok) return null
  return {
    wire: route.wire.name,
    quirks: route.quirks,
    body: call.value.body as Loose,
    losses: call.value.losses.map(formatLoss),
  }
}

const closed = ({ properties, required, additionalProperties }: Schema): boolean =>
  additionalProperties === false && Object.keys(properties).every((name) => required.includes(name))

/** Schemas of flat objects, of which some are closed. */
const schema: fc.Arbitrary<Schema> = fc
  .record({
    names: fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c'), { minLength: 1 }),
    needed: fc.subarray<string>(['a', 'b', 'c']),
    isAll: fc.boolean(),
    additionalProperties: fc.constantFrom(undefined, true, false, false),
  })
  .map(({ names, needed, isAll, additionalProperties }) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: isAll ? names : needed.filter((name) => names.includes(name)),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  }))

/** The strictness of the first function, as the upstream understands the body: null if it has no such setting. */
const STRICT: Partial<Record<WireName, (body: Loose, parameters: Schema) => boolean | null>> = {
  // Documented: strict "when the schema is compatible".
  'openai-responses': ({ tools }, parameters) => tools[0].strict ?? closed(parameters),
  'openai-chat': ({ tools }) => tools[0].function.strict ?? false,
  'anthropic-messages': ({ tools }) => tools[0].strict ?? false,
}

/** The Chat Completions API of OpenAI's own models. */
const ENFORCES = ['openai-chat', 'azure-chat']

const PAIRS = CLIENTS.flatMap((client) => VENDOR_NAMES.map((vendor) => ({ client, vendor })))

/** The pairs of which a client relies on strict functions that the upstream enforces only if they are named so. */
const STRICT_PAIRS = ENFORCES.map((vendor) => ({ client: 'openai-responses' as const, vendor }))
const pair = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PAIRS) }, fc.constantFrom(...STRICT_PAIRS))

describe('what a client leaves out', () => {
  it('is as strict for a function as in its own protocol, for every client and vendor', () => {
    let compared = 0
    check(
      fc.property(pair, schema, ({ client, vendor }, parameters) => {
        const sent = sentTo(vendor, client, { parameters })
        const strict = sent === null ? null : (STRICT[sent.wire as WireName]?.(sent.body, parameters) ?? null)
        if (strict === null) return
        compared += 1
        const isMeant = client === 'openai-responses' && closed(parameters)
        const isPossible = sent?.wire === 'openai-responses' || ENFORCES.includes(vendor)
        expect(strict, `${client} → ${vendor}`).toBe(isMeant && isPossible)
      }),
      4000,
    )
    expect(compared).toBeGreaterThan(20)
  })

  it('costs no loss', () => {
    const parameters = { type: 'object', properties: {}, required: [] } as const
    const found = PAIRS.flatMap(({ client, vendor }) => {
      const losses = sentTo(vendor, client, { parameters })?.losses ?? []
      return losses
        .filter((loss) => /strict|summary|truncat|store/.test(loss))
        .map((loss) => `${client} → ${vendor}: ${loss}`)
    })
    expect(found).toEqual([])
  })

  const BOUND: ReadonlySet<WireName> = new Set([
    'anthropic-messages',
    'gemini-generate',
    'gemini-interactions',
    'ollama-chat',
  ])

  it('binds an answer to its schema at OpenAI as in the protocol of the client, or is a loss', () => {
    check(
      fc.property(
        fc.constantFrom(...CLIENTS),
        fc.constantFrom('openai', 'openai-chat', 'azure'),
        schema,
        (client, vendor, format) => {
          const sent = sentTo(vendor, client, { parameters: format, format }) ?? expect.unreachable(client)
          const { strict } = sent.body.text?.format ?? sent.body.response_format.json_schema
          const isBound = BOUND.has(client)
          expect(strict ?? false, client).toBe(isBound && closed(format))
          expect(sent.losses.some((loss) => loss.includes('without strict'))).toBe(isBound && !closed(format))
        },
      ),
      2000,
    )
  })

  it.each(CLIENTS)('asks OpenAI for a summary only if a client of %s reads reasoning', (client) => {
    const parameters = { type: 'object', properties: {}, required: [] } as const
    for (const vendor of ['openai', 'azure', 'chatgpt', 'copilot-responses']) {
      const summaryOf = (asked: object) => sentTo(vendor, client, { parameters, ...asked })?.body.reasoning?.summary
      expect(summaryOf({}), vendor).toBeUndefined()
      expect(summaryOf({ effort: true }), vendor).toBeUndefined()
      if (client !== 'openai-responses') expect(summaryOf({ reads: true }), vendor).toBe('auto')
    }
  })

  it.each(CLIENTS)('shortens a conversation of a client of %s only if its protocol does', (client) => {
    const parameters = { type: 'object', properties: {}, required: [] } as const
    const shortens = client === 'ollama-chat'
    for (const vendor of VENDOR_NAMES) {
      const sent = sentTo(vendor, client, { parameters })
      if (sent?.wire === 'ollama-chat') {
        const { truncate, shift } = sent.body
        expect([truncate ?? true, shift ?? true], vendor).toEqual([shortens, shortens])
      }
      if (vendor === 'openai') expect(sent?.body.truncation ?? 'disabled').toBe(shortens ? 'auto' : 'disabled')
    }
  })

  it('is stored at no upstream, and streamed only if it is a stream in the protocol of the client', () => {
    const parameters = { type: 'object', properties: {}, required: [] } as const
    const seen = new Set<string>()
    for (const { client, vendor } of PAIRS) {
      const sent = sentTo(vendor, client, { parameters })
      if (sent === null) continue
      const { store, stream } = sent.body
      if (sent.wire === 'openai-responses' || sent.wire === 'gemini-interactions') expect(store, vendor).toBe(false)
      if (!['ollama-chat', 'openai-responses', 'openai-chat'].includes(sent.wire) || sent.quirks.streamsOnly === true)
        continue
      seen.add(sent.wire)
      const streams = client === 'ollama-chat' || client === 'gemini-generate'
      const otherwise = sent.wire === 'ollama-chat'
      expect(stream ?? otherwise, `${client} → ${vendor}`).toBe(streams)
    }
    expect([...seen].sort()).toEqual(['ollama-chat', 'openai-chat', 'openai-responses'])
  })
})
