import { describe, expect, it } from 'vitest'
import { checkStream } from '../src/dialects/check.ts'
import { DIALECTS, findDialect } from '../src/dialects/registry.ts'
import { streamBody, translate, translateBody } from '../src/engine.ts'
import { FRAMINGS } from '../src/framing/table.ts'
import { run } from '../src/machine/run.ts'
import { gatewayError } from '../src/protocol/error.ts'
import { findWire, WIRES } from '../src/wires/registry.ts'
import { requestOf } from './requests.ts'
import { targetOf } from './target.ts'
import { collected, eventsOf, optionsOf, toBytes, translated } from './translated.ts'

const DIALECT_LIST = Object.values(DIALECTS)
const statusOf = (text: string): unknown => {
  const closing = eventsOf(text).find(({ type }) => /^response\.(?:completed|incomplete|failed)$/.test(String(type)))
  return (closing?.response as { status?: unknown } | undefined)?.status
}

const SOME_HAVE: ReadonlySet<string> = new Set([
  'template',
  'client',
  'dialect',
  'nativeSearch',
  'searchExcludesFunctions',
  'searchesX',
])

describe.each(Object.entries(WIRES))('the wire %s', (name, wire) => {
  it('has the same doors as every other', () => {
    expect(
      Object.keys(wire)
        .filter((door) => !SOME_HAVE.has(door))
        .sort(),
    ).toEqual(
      [
        'name',
        'framing',
        'encodeRequest',
        'encodeSteps',
        'authorize',
        'decodeStream',
        'decodeBody',
        'decodeError',
      ].sort(),
    )
    expect(wire.name).toBe(name)
    expect(findWire(name)).toBe(wire)
    expect(Object.keys(FRAMINGS)).toContain(wire.framing)
    // Whose stream is a dialect, its clients are that dialect's.
    if (wire.dialect !== undefined)
      expect([findDialect(wire.dialect)?.name, wire.client]).toEqual([wire.dialect, undefined])
  })

  it('says nothing of itself, and nothing twice', () => {
    const machine = wire.decodeStream({})
    expect(run(machine, [])).toEqual([])
    expect(JSON.parse(JSON.stringify(machine.initial))).toEqual(machine.initial)
  })

  describe.each(DIALECT_LIST)('in $name', (dialect) => {
    const options = optionsOf(dialect, {}, 'x', wire)

    it.each([
      ['nothing', ''],
      ['blank lines', '\n\n\n\n'],
      ['no stream at all', '<html>502 Bad Gateway</html>'],
      ['nonsense in frames', 'data: null\n\ndata: {\n\ndata: []\n\ndata: "x"\n\n'],
    ])('a stream of %s ends as failed', (_, text) => {
      const said = translated(options, [toBytes(text)])
      expect(checkStream(said, dialect)).toEqual([])
      expect(statusOf(said)).toBe('failed')
      expect(collected(options, [toBytes(text)])).toMatchObject({ status: 'failed', output: [] })
    })

    it.each(['', 'null', '[]', '{}', '{"a":1}', '<html>'])('the body %j is a failed answer', (body) => {
      expect(translateBody(options, body).outcome.status).toBe('failed')
      const text = new TextDecoder().decode(streamBody(options, body).bytes)
      expect(checkStream(text, dialect)).toEqual([])
      expect(statusOf(text)).toBe('failed')
    })

    it('is over once, whatever ends it', () => {
      const stream = translate(options)
      expect(stream.over()).toBe(false)
      expect(stream.fail(gatewayError('server_error', 'Broken.')).length).toBeGreaterThan(0)
      expect(stream.over()).toBe(true)
      expect(stream.outcome()).toMatchObject({ status: 'failed', error: { message: 'Broken.' } })
      expect([stream.receive(toBytes('data: {}\n\n')), stream.end()].map(({ length }) => length)).toEqual([0, 0])
    })
  })

  it('has a message for every status, whatever the body', () => {
    for (const status of [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 499, 500, 502, 503, 504, 529, 599]) {
      for (const body of ['', '{}', 'null', '[]', '<html>', '{"error":{}}', '{"error":"x"}', '{"error":{"code":{}}}']) {
        const error = wire.decodeError(status, {}, body)
        expect(error.message).not.toBe('')
        expect(error.code).not.toBe('')
        expect(error.status).toBeGreaterThanOrEqual(400)
      }
    }
  })

  it('sends the key in a header', () => {
    const headers = wire.authorize('secret-key', {})
    expect(Object.values(headers).some((value) => value.includes('secret-key'))).toBe(true)
    for (const header of Object.keys(headers)) expect(header).toBe(header.toLowerCase())
  })

  it('sends stop sequences on, or tells that it cannot', () => {
    const request = { ...requestOf({ stream: true }), stop: ['END OF IT'] }
    const encoded = wire.encodeRequest(request, targetOf(wire.name, {}, 'its-own-name'))
    const told = encoded.ok ? encoded.losses.map(({ path }) => path) : []
    expect(told.includes('stop') || JSON.stringify(encoded).includes('END OF IT')).toBe(true)
  })

  it('asks for what was asked', () => {
    const encoded = wire.encodeRequest(requestOf({ stream: true }), targetOf(wire.name, {}, 'its-own-name'))
    expect(encoded).toMatchObject({ ok: true, losses: [] })
    expect(JSON.stringify(encoded)).toContain('its-own-name')
  })
})

it.each(['nothing', '', 'constructor', '__proto__'])('there is no wire %j', (name) => {
  expect(findWire(name)).toBeUndefined()
})
