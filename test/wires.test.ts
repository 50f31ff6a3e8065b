import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { checkStream } from '../src/dialects/check-stream.ts'
import { DIALECTS, findDialect } from '../src/dialects/registry.ts'
import { translateWholeBody } from '../src/engine/body-collector.ts'
import { createTranslation, streamWholeBody } from '../src/engine/translation.ts'
import { run } from '../src/machine/run.ts'
import { gatewayError } from '../src/protocol/error.ts'
import type { HostedItemType } from '../src/protocol/item.ts'
import { CITATIONS } from '../src/responses/apply-citations.ts'
import { ALL_CAPABILITIES, toRespondContext } from '../src/responses/capabilities.ts'
import { HOSTED_MEMBERS } from '../src/responses/hosted-members.ts'
import { Reducer, respond } from '../src/responses/respond.ts'
import { findWire } from '../src/wires/find-wire.ts'
import { WIRES } from '../src/wires/registry.ts'
import { encodeFor } from './engine/encode-request.ts'
import { ALL_FIXTURES, collected, eventsOf, headOf, optionsOf, toBytes, translated } from './engine/run-engine.ts'
import { targetOf } from './engine/target.ts'
import { requestOf } from './request-bodies.ts'

const DIALECT_LIST = Object.values(DIALECTS)
const statusOf = (text: string): unknown => {
  const closing = eventsOf(text).find(({ type }) => /^response\.(?:completed|incomplete|failed)$/.test(String(type)))
  return (closing?.response as { status?: unknown } | undefined)?.status
}

const SOME_HAVE: ReadonlySet<string> = new Set([
  'template',
  'modelInPath',
  'sampling',
  'cacheSupport',
  'dataUrls',
  'datedTools',
  'citations',
  'chatLimits',
  'client',
  'clientHeaders',
  'counts',
  'dialect',
  'hosted',
  'inputMembers',
  'lateSystem',
  'readsBillingLine',
  'modelList',
  'mostTemperature',
  'namelessFiles',
  'textFiles',
  'imageTypes',
  'nativeSearch',
  'needsSealedReasoning',
  'reportsPhases',
  'passthrough',
  'searchExcludesFunctions',
  'searchesX',
  'urlBase64',
])

describe.each(Object.entries(WIRES))('the wire %s', (name, wire) => {
  it('has the same members as every other wire', () => {
    expect(
      Object.keys(wire)
        .filter((name) => !SOME_HAVE.has(name))
        .sort(),
    ).toEqual([
      'address',
      'authorize',
      'body',
      'decodeBody',
      'decodeError',
      'decodeStream',
      'encodeRequest',
      'framing',
      'name',
    ])
    expect(wire.name).toBe(name)
    expect(findWire(name)).toBe(wire)
    // A wire whose stream is a dialect serves the clients of that dialect and has no `client` of its own.
    if (wire.dialect !== undefined)
      expect([findDialect(wire.dialect)?.name, wire.client]).toEqual([wire.dialect, undefined])
  })

  it('has citations if an answer of it cites anything', () => {
    const cites = ALL_FIXTURES.filter((fixture) => fixture.wire === wire).some(({ stream, quirks }) => {
      const reader = wire.framing.open(1 << 26)
      const deltas = run(wire.decodeStream(quirks), [...reader.push(stream), ...reader.end()])
      return deltas.some(({ kind }) => kind === 'citation' || kind === 'mark')
    })
    expect(wire.citations !== undefined).toBe(cites)
  })

  it('has the rows of the items that its answers have', async () => {
    const folder = new URL(`../src/wires/${name}/upstream/`, import.meta.url)
    const files = (await readdir(folder)).filter((file) => file.endsWith('.ts'))
    const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
    const found = texts.flatMap((text) => [...text.matchAll(/(?:\btype: |\bitem\()'(\w+)'/g)].map(([, word]) => word))
    const types = (Object.keys(HOSTED_MEMBERS) as HostedItemType[]).filter((type) => found.includes(type))
    const statuses = types.map((type) => [type, wire.hosted?.status(type, 'completed', 'completed')])
    expect(statuses).toEqual(types.map((type) => [type, 'completed']))
  })

  it('makes of its fixtures what all rows would make of them', () => {
    const seal = (payload: unknown): string => JSON.stringify(payload)
    const context = toRespondContext(ALL_CAPABILITIES, { seal, sealOwn: seal }, false, CITATIONS, wire.hosted ?? null)
    for (const { stream, quirks } of ALL_FIXTURES.filter((fixture) => fixture.wire === wire)) {
      const reader = wire.framing.open(1 << 26)
      const deltas = run(wire.decodeStream(quirks), [...reader.push(stream), ...reader.end()])
      const all = run(respond(headOf('x'), ALL_CAPABILITIES, seal, seal), deltas)
      expect(run(new Reducer(headOf('x'), context), deltas)).toEqual(all)
    }
  })

  it('emits no deltas without input and has an initial state that survives JSON', () => {
    const machine = wire.decodeStream({})
    expect(run(machine, [])).toEqual([])
    expect(JSON.parse(JSON.stringify(machine.initial))).toEqual(machine.initial)
  })

  describe.each(DIALECT_LIST)('in the dialect $name', (dialect) => {
    const options = optionsOf(dialect, {}, 'x', wire)

    it.each([
      ['an empty stream', ''],
      ['blank lines', '\n\n\n\n'],
      ['bytes that are not a stream', '<html>502 Bad Gateway</html>'],
      ['frames that are not JSON', 'data: null\n\ndata: {\n\ndata: []\n\ndata: "x"\n\n'],
    ])('ends a stream of %s as failed', (_, text) => {
      const output = translated(options, [toBytes(text)])
      expect(checkStream(output, dialect)).toEqual([])
      expect(statusOf(output)).toBe('failed')
      expect(collected(options, [toBytes(text)])).toMatchObject({ status: 'failed', output: [] })
    })

    it.each(['', 'null', '[]', '{}', '{"a":1}', '<html>'])('translates the body %j to a failed response', (body) => {
      expect(translateWholeBody(options, body).outcome.status).toBe('failed')
      const text = new TextDecoder().decode(streamWholeBody(options, body).bytes)
      expect(checkStream(text, dialect)).toEqual([])
      expect(statusOf(text)).toBe('failed')
    })

    it('ends once after a failure and emits nothing more', () => {
      const stream = createTranslation(options)
      expect(stream.progress.over()).toBe(false)
      expect(stream.push({ error: gatewayError('server_error', 'Broken.') }).length).toBeGreaterThan(0)
      expect(stream.progress.over()).toBe(true)
      expect(stream.outcome()).toMatchObject({ status: 'failed', error: { message: 'Broken.' } })
      expect([stream.push(toBytes('data: {}\n\n')), stream.push('end')].map(({ length }) => length)).toEqual([0, 0])
    })
  })

  it('decodes an HTTP error of any status and body to a message, a code and a status', () => {
    for (const status of [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 499, 500, 502, 503, 504, 529, 599]) {
      for (const body of ['', '{}', 'null', '[]', '<html>', '{"error":{}}', '{"error":"x"}', '{"error":{"code":{}}}']) {
        const error = wire.decodeError(status, {}, body)
        expect(error.message).not.toBe('')
        expect(error.code).not.toBe('')
        expect(error.status).toBeGreaterThanOrEqual(400)
      }
    }
  })

  it('sends the key in a header with a lower-case name', () => {
    const headers = wire.authorize('secret-key', {})
    expect(Object.values(headers).some((value) => value.includes('secret-key'))).toBe(true)
    for (const header of Object.keys(headers)) expect(header).toBe(header.toLowerCase())
  })

  it('sends stop sequences or records them as a loss', () => {
    const request = { ...requestOf({ stream: true }), stop: ['END OF IT'] }
    const encoded = encodeFor(wire, request, targetOf(wire.name, {}, 'its-own-name'))
    const lostPaths = encoded.ok ? encoded.losses.map(({ path }) => path) : []
    expect(lostPaths.includes('stop') || JSON.stringify(encoded).includes('END OF IT')).toBe(true)
  })

  it('encodes a plain request with the model name and without losses', () => {
    const encoded = encodeFor(wire, requestOf({ stream: true }), targetOf(wire.name, {}, 'its-own-name'))
    expect(encoded).toMatchObject({ ok: true, losses: [] })
    expect(JSON.stringify(encoded)).toContain('its-own-name')
  })
})

it.each(['nothing', '', 'constructor', '__proto__'])('finds no wire with the name %j', (name) => {
  expect(findWire(name)).toBeUndefined()
})
