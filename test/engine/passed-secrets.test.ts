import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { PassedBody } from '../../src/engine/passthrough/passed-body.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import { runSteps } from '../../src/text/steps.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { redactor } from '../../src/wires/redact.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { quotesLong, redactLong } from '../../src/wires/shared/passthrough/secrets.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { escapedSecrets } from '../arbitraries/quoted-secrets.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { leaksIn, secretOf } from '../host/leaks.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { check } from '../property.ts'
import { optionsOf } from './run-engine.ts'

const SECRETS = Array.from({ length: 10 }, (_, shape) => secretOf(`passed ${shape}`, shape))
const redact = redactor(SECRETS)

const PASSING: readonly KnownWire[] = Object.values(WIRES).filter(
  ({ passthrough }: KnownWire) => passthrough !== undefined,
)

const optionsFor = (wire: KnownWire, slice?: number): TranslationOptions => ({
  ...optionsOf(openai, {}, 'x', wire),
  target:
    wire.client === undefined
      ? dialectTarget(openai)
      : wireTarget({ name: wire.name, client: wire.client }, { settings: { usage: true } }),
  redact,
  ...(slice === undefined ? {} : { slice }),
})

const answersOf = ({ passthrough, name }: KnownWire) => passthrough?.answer ?? expect.unreachable(name)

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString()

function pass(wire: KnownWire, pieces: readonly Uint8Array[], opener: typeof openFastPath | null, slice?: number) {
  const stream = new PassedStream(optionsFor(wire, slice), answersOf(wire), opener)
  const made: Uint8Array[] = []
  const take = (bytes: Uint8Array): void => {
    made.push(bytes.slice())
    while (stream.busy()) made.push(stream.resume().slice())
  }
  for (const piece of pieces) if (!stream.progress.over()) take(stream.push(piece))
  if (!stream.progress.over()) take(stream.push('end'))
  return { output: textOf(made), edits: stream.outcome().edits }
}

function passBody(wire: KnownWire, body: string, slice?: number) {
  const collector = new PassedBody(optionsFor(wire, slice), answersOf(wire))
  collector.push({ body })
  while (collector.busy()) collector.resume()
  const output = collector.text() ?? JSON.stringify(collector.body())
  const { error, edits } = collector.outcome()
  return { output, error, edits }
}

const framesOf = (wire: KnownWire, bytes: Uint8Array): readonly Frame[] => {
  const reader = wire.framing.open(Number.MAX_SAFE_INTEGER)
  return [...reader.push(bytes), ...reader.end()]
}

/** The value with the text at one of its strings or member names, or in a new member. */
function planted(value: unknown, place: number, text: string): unknown {
  const state = { left: place, isDone: false }
  const isHere = (): boolean => {
    state.isDone ||= state.left === 0
    state.left -= 1
    return state.left === -1
  }
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return isHere() ? `${one} ${text}` : one
    if (Array.isArray(one)) return one.map(walk)
    if (!isObject(one)) return one
    const members = Object.entries(one).map(([name, inner]) => [isHere() ? `${name} ${text}` : name, walk(inner)])
    return Object.fromEntries(isHere() ? [...members, ['x_note', [{ text }]]] : members)
  }
  const found = walk(value)
  return state.isDone ? found : { x_first: text, ...(isObject(found) ? found : {}) }
}

type Place = 'value' | 'text' | 'event' | 'comment' | 'id' | 'lines' | 'returns'

const PLACES: readonly Place[] = ['value', 'value', 'value', 'text', 'event', 'comment', 'id', 'lines', 'returns']

const eventLine = (event: string): string => (event === '' ? '' : `event: ${event}\n`)

function written(wire: KnownWire, { event, data }: Frame, place: Place, at: number, text: string): string {
  const json = JSON.stringify(planted(parseJson(data), at, text))
  if (wire.framing.name === 'ndjson') return place === 'text' ? `error: ${text} is invalid\n` : `${json}\n`
  switch (place) {
    case 'value':
      return `${eventLine(event)}data: ${json}\n\n`
    case 'text':
      return `${eventLine(event)}data: error: ${text} is invalid\n\n`
    case 'event':
      return `event: ${text}\ndata: ${data}\n\n`
    case 'comment':
      return `: ${text}\n\n`
    case 'id':
      return `${eventLine(event)}id: ${text}\ndata: ${data}\n\n`
    case 'returns':
      return `data: {"x_a":1}\r\r${eventLine(event)}data: ${json}\n\n`
    case 'lines':
      return `${eventLine(event)}data: {"x_note":\ndata: ${JSON.stringify(text)}}\n\n`
  }
}

const plain = (wire: KnownWire, { event, data }: Frame): string =>
  wire.framing.name === 'ndjson' ? `${data}\n` : `${eventLine(event)}data: ${data}\n\n`

const secretTexts = fc
  .constantFrom(...SECRETS)
  .chain((secret) => fc.tuple(fc.constant(secret), fc.oneof(fc.constant(secret), escapedSecrets(secret))))

describe.each(PASSING.map((wire) => [wire.name, wire] as const))('a passed answer of %s', (name, wire) => {
  const turn = framesOf(
    wire,
    WIRE_UPSTREAMS[name].encodeTurn({
      reasoning: { text: 'Let me see.', seal: 'c2VhbA==' },
      text: ['Seven', ' degrees', ' in Oslo.'],
      calls: [{ id: 'call_1', name: 'get_weather', args: { city: 'Oslo' } }],
    }),
  )

  it('quotes no secret that was sent to its upstream, in any place of any frame that is examined', () => {
    check(
      fc.property(
        secretTexts,
        fc.record({
          at: fc.nat({ max: turn.length }),
          place: fc.constantFrom(...PLACES),
          leaf: fc.nat({ max: 30 }),
          begin: fc.constantFrom('', '\ufeff'),
          cut: fc.constantFrom(0, 1, 2),
          slice: fc.constantFrom(undefined, 1),
        }),
        cuts,
        ([secret, text], { at, place, leaf, begin, cut, slice }, ends) => {
          const frames = turn.map((frame) => plain(wire, frame))
          const quoting = written(wire, turn[at] ?? { event: '', data: '{}' }, place, leaf, text)
          const all = [...frames.slice(0, at), quoting, ...frames.slice(at)].join('')
          // A frame at the end may lack its blank line, or the line ending before it.
          const bytes = utf8(begin + all.slice(0, all.length - cut))
          const { output } = pass(wire, cutBytes(bytes, ends), null, slice)
          expect(leaksIn(output, [secret]), output).toEqual([])
        },
      ),
    )
  })

  // Sealed reasoning is an edit of its own.
  const simple = framesOf(wire, WIRE_UPSTREAMS[name].encodeTurn({ text: ['Seven', ' degrees'], calls: [] }))

  it('has all other frames unchanged', () => {
    check(
      fc.property(secretTexts, fc.integer({ min: 1, max: simple.length - 2 }), cuts, ([secret, text], at, ends) => {
        const frames = simple.map((frame) => plain(wire, frame))
        const quoting = written(wire, { event: '', data: '{"x_a":1}' }, 'value', 1, text)
        const bytes = utf8([...frames.slice(0, at), quoting, ...frames.slice(at)].join(''))
        const { output, edits } = pass(wire, cutBytes(bytes, ends), openFastPath)
        const shown = output.slice(frames.slice(0, at).join('').length)
        expect(output.startsWith(frames.slice(0, at).join(''))).toBe(true)
        expect(shown.slice(0, shown.indexOf('\n'))).toMatch(/\[secret\]/)
        expect(shown).toContain(frames.slice(at).join(''))
        expect(edits).toContain('secrets')
        expect(leaksIn(output, [secret])).toEqual([])
      }),
    )
  })

  it('keeps every other byte of a frame and of a body that quotes a secret', () => {
    const [secret = ''] = SECRETS
    const json = `{ "x_n":9007199254740993,  "x_note":["${secret}"], "x_f":1.0, "x_\\u0061": {}, "choices": [] }`
    const hidden = json.replace(secret, '[secret]')
    const frame = { event: name === 'anthropic-messages' ? 'x_event' : '', data: json }
    const first = plain(wire, simple[0] ?? frame)
    const { output } = pass(wire, [utf8(first + plain(wire, frame))], null)
    expect(output.startsWith(first + plain(wire, { ...frame, data: hidden }))).toBe(true)
    const bodies = fc.sample(ANSWERS[name].body, { seed: 1, numRuns: 20 }).filter((body) => body.startsWith('{"'))
    for (const body of bodies) {
      const quoting = (note: string): string => `{"x_n":9007199254740993, "x_note":"${note}",${body.slice(1)}`
      const { output, error, edits } = passBody(wire, quoting(secret))
      if (error === null && edits?.length === 1) expect(output).toBe(quoting('[secret]'))
    }
  })

  it('quotes no secret that the upstream repeats in each frame of the fast path', () => {
    const words = WIRE_UPSTREAMS[name].encodeTurn({ text: Array.from({ length: 40 }, (_, i) => `w${i} `), calls: [] })
    for (const secret of SECRETS) {
      const frames = framesOf(wire, words).map(({ event, data }) => {
        const value = parseJson(data)
        return { event, data: isObject(value) ? JSON.stringify({ ...value, x_note: secret }) : data }
      })
      const pieces = frames.map((frame) => utf8(plain(wire, frame)))
      expect(leaksIn(pass(wire, pieces, openFastPath).output, [secret])).toEqual([])
    }
  })

  it('quotes no secret in a comment between two frames of the fast path', () => {
    if (wire.framing.name === 'ndjson') return
    const words = WIRE_UPSTREAMS[name].encodeTurn({ text: Array.from({ length: 40 }, (_, i) => `w${i} `), calls: [] })
    const [secret = ''] = SECRETS
    const pieces = framesOf(wire, words).flatMap((frame) => [
      utf8(plain(wire, frame)),
      utf8(': keep-alive\n\n'),
      utf8(`: ${secret}\n\n`),
    ])
    const { output } = pass(wire, pieces, openFastPath)
    expect(leaksIn(output, [secret])).toEqual([])
    expect(output).toContain(': keep-alive\n\n')
  })

  it('quotes no secret in any place of a body', () => {
    check(
      fc.property(secretTexts, ANSWERS[name].body, fc.nat({ max: 60 }), ([secret, text], body, leaf) => {
        const { output } = passBody(wire, JSON.stringify(planted(parseJson(body), leaf, text)), 1)
        expect(leaksIn(output, [secret]), output).toEqual([])
      }),
    )
  })

  it('is the same body if no secret is quoted', () => {
    check(
      fc.property(ANSWERS[name].body, fc.constantFrom(undefined, 1), (body, slice) => {
        const { output, error, edits } = passBody(wire, body, slice)
        if (error === null && edits?.length === 0) expect(output).toBe(body)
        expect(edits ?? []).not.toContain('secrets')
      }),
    )
  })
})

describe('a long text', () => {
  const filler = fc.constantFrom('a', 'b c ', '\\n\\"', 'é', 'sk-proj')
  const positions = fc.integer({ min: 0, max: 200_000 })

  it('is redacted as a whole, wherever the secret is', () => {
    check(
      fc.property(fc.constantFrom(...SECRETS), filler, positions, fc.nat({ max: 80 }), (secret, fill, at, near) => {
        for (const start of [at, 65_536 - near, 131_072 - near]) {
          const text = `${fill.repeat(start).slice(0, start)} ${secret} ${fill.repeat(100_000)}`
          const slices = redactLong(text, redact)
          let steps = 0
          let slice = slices.next()
          for (; slice.done !== true; slice = slices.next()) steps += 1
          const done = slice.value
          expect(steps).toBeGreaterThanOrEqual(Math.floor(text.length / 140_000))
          expect(leaksIn(done, [secret])).toEqual([])
          expect(done.startsWith(text.slice(0, start))).toBe(true)
          expect(done.endsWith(` ${fill.repeat(100_000)}`)).toBe(true)
          expect(runSteps(quotesLong(text, redact))).toBe(true)
        }
      }),
      40,
    )
  })

  it('is itself if it quotes no secret, also if a slice ends with the beginning of one', () => {
    for (const secret of SECRETS) {
      const start = secret.slice(0, 10)
      const text = start.repeat(30_000)
      if (redact(text) !== text) continue
      expect(runSteps(redactLong(text, redact))).toBe(text)
      expect(runSteps(quotesLong(text, redact))).toBe(false)
    }
    const text = `${'x'.repeat(65_526)}${SECRETS[0]?.slice(0, 10)} ${'y'.repeat(100_000)}`
    expect(runSteps(redactLong(text, redact))).toBe(text)
  })

  it('is a body that is edited in slices', () => {
    const [secret] = SECRETS
    const [wire] = PASSING
    const body = JSON.stringify({ id: 'x', choices: [], x_image: 'A'.repeat(3_000_000), x_note: secret })
    const collector = new PassedBody(optionsFor(wire as KnownWire, 1), answersOf(wire as KnownWire))
    collector.push({ body })
    let slices = 0
    for (; collector.busy(); slices += 1) collector.resume()
    expect(slices).toBeGreaterThan(5)
    expect(collector.text() ?? '').not.toContain(secret)
  })
})
