import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { providerName, toAttributes } from '../../src/observability/attributes.ts'
import { plainAttributes, toNanos } from '../../src/observability/otlp.ts'
import { encodeExportRequest } from '../../src/observability/otlp-protobuf.ts'
import { toExportRequest } from '../../src/observability/spans.ts'
import { VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { anyCodePoints } from '../arbitraries/strings.ts'
import { check } from '../property.ts'
import { readBytes, readJson } from './otlp-schema.ts'
import { traceOf } from './samples.ts'

const attributesOf = (changes = {}) => plainAttributes(toAttributes(traceOf(changes)))

/** The binary form omits empty messages and default values. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner) => (inner === '' || (key === 'kind' && inner === 0) ? undefined : inner)),
  )

describe('a trace', () => {
  it('has the attributes of the semantic conventions', () => {
    expect(attributesOf()).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mistral_ai',
      'gen_ai.request.model': 'parrot-1',
      'gen_ai.response.model': 'parrot-1-2026',
      'gen_ai.response.id': 'resp_1',
      'gen_ai.response.finish_reasons': ['tool_calls'],
      'gen_ai.response.time_to_first_chunk': 0.3205,
      'gen_ai.usage.input_tokens': 11,
      'gen_ai.usage.output_tokens': 7,
      'gen_ai.usage.cache_read.input_tokens': 3,
      'gen_ai.request.temperature': 1,
      'gen_ai.request.max_tokens': 64,
      'gen_ai.conversation.id': 'session-1',
      'user.id': 'ada',
      'millrace.api_key_name': 'team/blue',
      'trace.metadata.feature': 'quiz',
      'trace.metadata.beta': true,
      'trace.metadata.tries': 2,
    })
    const messages = attributesOf()['gen_ai.output.messages']
    expect(JSON.parse(String(messages))).toEqual(traceOf().content?.output)
    expect(JSON.parse(String(attributesOf()['gen_ai.input.messages']))).toEqual(traceOf().content?.input)
  })

  it('has no attributes for unknown values', () => {
    const bare = attributesOf({
      usage: null,
      user: null,
      sessionId: null,
      vendor: null,
      responseModel: null,
      content: null,
    })
    for (const key of Object.keys(bare)) expect(key).not.toMatch(/usage|user|session|conversation|provider|messages/)
  })

  it('has a count of zero, which differs from an unknown one', () => {
    const usage = { input_tokens: 4, output_tokens: 0, total_tokens: 4, cached_tokens: 0, reasoning_tokens: null }
    expect(attributesOf({ usage })).toMatchObject({
      'gen_ai.usage.output_tokens': 0,
      'gen_ai.usage.cache_read.input_tokens': 0,
    })
  })

  it.each([
    ['anthropic', 'anthropic'],
    ['azure', 'azure.ai.openai'],
    ['bedrock', 'aws.bedrock'],
    ['deepseek', 'deepseek'],
    ['foundry', 'azure.ai.inference'],
    ['google', 'gcp.gemini'],
    ['openai', 'openai'],
    ['vertex', 'gcp.vertex_ai'],
    ['xai', 'x_ai'],
  ])('of %s has one provider name on all wires of that platform', (platform, provider) => {
    const vendors = VENDOR_NAMES.filter((name) => name === platform || name.startsWith(`${platform}-`))
    expect(vendors.length).toBeGreaterThan(0)
    for (const name of vendors) expect([name, providerName(name)]).toEqual([name, provider])
  })

  it('with content above the limit has an attribute for that', () => {
    expect(attributesOf({ content: null, contentLeftOut: true })).toHaveProperty('millrace.content_left_out', true)
    expect(attributesOf()).not.toHaveProperty('millrace.content_left_out')
  })

  it('that failed is a span with an error status and the error code', () => {
    const span = (changes: object) => toExportRequest([traceOf(changes)]).resourceSpans[0]?.scopeSpans[0]?.spans[0]
    expect(span({ error: 'server_error' })?.status).toEqual({ code: 2, message: 'server_error' })
    expect(span({})?.status).toEqual({})
    expect(span({ parentSpanId: null })).not.toHaveProperty('parentSpanId')
  })

  it('has its times in nanoseconds', () => {
    expect(toNanos(Date.UTC(2026, 10, 3))).toBe(`${Date.UTC(2026, 10, 3)}000000`)
    expect(toNanos(1_790_000_000_000.25)).toBe('1790000000000250000')
  })
})

/** Well formed: protobuf.js writes one lone surrogate as three replacement characters. */
const words = anyCodePoints().map((text) => Buffer.from(text).toString())
const plainValue = fc.oneof(words, fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }))
const traces = fc.array(
  fc
    .record({
      name: words,
      startedAt: fc.double({ min: 0, max: 4e12, noNaN: true }),
      durationMs: fc.double({ min: 0, max: 1e7, noNaN: true }),
      user: fc.option(words),
      error: fc.option(fc.constantFrom('server_error', 'rate_limit_exceeded')),
      metadata: fc.dictionary(words, plainValue, { maxKeys: 5 }),
      usage: fc.option(
        fc.record({
          input_tokens: fc.option(fc.oneof(fc.nat(), fc.double())),
          output_tokens: fc.option(fc.maxSafeNat()),
          total_tokens: fc.constant(null),
          cached_tokens: fc.constant(null),
          reasoning_tokens: fc.constant(null),
        }),
      ),
    })
    .map(traceOf),
  { minLength: 1, maxLength: 4 },
)

describe('an export request', () => {
  it('is valid by the official definitions, and keeps every field', () => {
    check(
      fc.property(traces, (batch) => {
        const request = toExportRequest(batch)
        const known = JSON.parse(JSON.stringify(request))
        expect(plain(readJson(JSON.stringify(known)))).toEqual(plain(known))
      }),
      150,
    )
  })

  it.each([[[70_000]], [[40_000, 40_000, 40_000]], [[1, 500_000, 1]]])(
    'has a binary form with all of its texts, whose sizes are %j',
    (sizes) => {
      const request = toExportRequest(sizes.map((size) => traceOf({ name: 'é'.repeat(size), user: 'u'.repeat(size) })))
      expect(readBytes(encodeExportRequest(request))).toEqual(readJson(JSON.stringify(request)))
    },
  )

  it('has a binary form with the same content as its JSON', () => {
    check(
      fc.property(traces, (batch) => {
        const request = toExportRequest(batch)
        expect(readBytes(encodeExportRequest(request))).toEqual(readJson(JSON.stringify(request)))
      }),
      150,
    )
  })
})
