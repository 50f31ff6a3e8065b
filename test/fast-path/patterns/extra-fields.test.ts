import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../../src/engine/answer.ts'
import { encodeEventStream } from '../../../src/framing/encode-event-stream.ts'
import { jsonOf } from '../../../src/framing/frame.ts'
import { isObject } from '../../../src/text/json.ts'
import type { KnownWire, WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { cutBytes, cuts, slices } from '../../arbitraries/bytes.ts'
import { optionsOf, toBytes } from '../../engine/run-engine.ts'
import { check, IS_WHOLE } from '../../property.ts'
import { withKits } from '../../wires/with-kits.ts'
import { both, fresh } from '../both.ts'

/** A template holds while extra fields of any name come and go, as long as the decoder does not read them. */

/** Returns a payload of each wire with the given text. */
const PAYLOADS: Readonly<Record<WireName, (text: string) => string>> = withKits(
  {
    'openai-chat': (text) => `{"id":"c","choices":[{"index":0,"delta":{"content":"${text}"}}],"object":"x"}`,
    'openai-responses': (text) =>
      `{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"${text}"}`,
    'anthropic-messages': (text) =>
      `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}}`,
    'gemini-generate': (text) => `{"candidates":[{"content":{"role":"model","parts":[{"text":"${text}"}]}}],"id":"x"}`,
    'bedrock-converse': (text) => `{"contentBlockIndex":0,"delta":{"text":"${text}"},"p":"ab"}`,
    'cohere-chat': (text) => `{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"${text}"}}}}`,
    'ollama-chat': (text) => `{"model":"m","message":{"role":"assistant","content":"${text}"},"done":false}`,
  },
  ({ payloadOf }) => payloadOf,
)
const NAMES = Object.keys(PAYLOADS) as WireName[]

function toRead(wire: WireName, data: string): Uint8Array {
  if (wire === 'bedrock-converse') return encodeEventStream({ event: 'contentBlockDelta', data })
  return toBytes(wire === 'ollama-chat' ? `${data}\n` : `data: ${data}\n\n`)
}

const LABEL = /(?<=[{,])"\w+":/g
/** Returns the payload with these fields in front of each of its own fields. */
function withMembers(payload: string, membersAt: (place: number) => string): string {
  let place = 0
  return payload.replace(LABEL, (label) => membersAt(place++) + label)
}
const placesOf = (wire: WireName): number => PAYLOADS[wire]('').match(LABEL)?.length ?? 0

const optionsFor = (wire: KnownWire): TranslationOptions => optionsOf(DIALECTS.openai, {}, 'x', fresh(wire))

/** Checks that both paths agree, and returns the number of chunks on the fast path. */
const fastOf = (name: WireName, payloads: readonly string[], wire: KnownWire = WIRES[name]): number => {
  const reads = payloads.map((data) => toRead(name, data))
  const joined = new Uint8Array(Buffer.concat(reads))
  if (IS_WHOLE) both(optionsFor(wire), slices(joined, 100))
  return Math.min(both(optionsFor(wire), reads), both(optionsFor(wire), [joined]))
}

const WORDS = Array.from({ length: 40 }, (_, i) => ` word${i}`)
const MANY = [...WORDS, ...WORDS, ...WORDS]
/** Enough chunks to learn a template with a slot for extra fields in front of the first field. */
const LOOSE = (name: WireName, place = 0): readonly string[] =>
  WORDS.map((word, i) => withMembers(PAYLOADS[name](word), (at) => (at === place ? `"n${i}":[${i}],` : '')))

describe.each(NAMES)('extra fields in payloads of %s', (name) => {
  const payloads = (membersAt: (place: number, i: number) => string, words = WORDS): readonly string[] =>
    words.map((word, i) => withMembers(PAYLOADS[name](word), (place) => membersAt(place, i)))

  it('keep the fast path under any name and at any position', () => {
    for (let place = 0; place < placesOf(name); place += 1) {
      expect(fastOf(name, LOOSE(name, place))).toBeGreaterThan(33)
    }
    expect(
      fastOf(
        name,
        payloads((place, i) => `"n${place}${i}":"${i}","x${i}" : {"a":[null]} , `),
      ),
    ).toBeGreaterThan(33)
  })

  it('keep the fast path if they come and go', () => {
    expect(
      fastOf(
        name,
        payloads((place, i) => (place === 0 && i % 2 === 0 ? '"x":1,' : '')),
      ),
    ).toBeGreaterThan(28)
    expect(
      fastOf(
        name,
        payloads((place, i) => '"x":1,'.repeat(place === 0 ? i % 3 : 0)),
      ),
    ).toBeGreaterThan(28)
    const drawn = (place: number, i: number): number => ((i * 16 + place) * 2_654_435_761) % 2 ** 32
    const some = payloads((place, i) => (drawn(place, i) > 2 ** 31 ? `"x${place}":${i},` : ''), MANY)
    // Fields at random positions: no two chunks have all of them.
    fastOf(name, some)
  })

  it('keep the fast path if each of many fields comes and goes by itself', () => {
    const isThere = (place: number, i: number): boolean => ((i * 16 + place) * 2_654_435_761) % 2 ** 32 < 0.8 * 2 ** 32
    const five = (i: number) => [0, 1, 2, 3, 4].map((place) => (isThere(place, i) ? `"x${place}":${i},` : '')).join('')
    expect(
      fastOf(
        name,
        payloads((place, i) => (place === 0 ? five(i) : ''), MANY),
      ),
    ).toBeGreaterThan(60)
  })

  it('keep the fast path if they move between positions', () => {
    const turns = payloads((place, i) => (place === (i % 2) * (placesOf(name) - 1) ? `"x${place}":1,` : ''))
    expect(fastOf(name, turns)).toBeGreaterThan(28)
  })

  it('give the same bytes on both paths if the decoder reads their name, also in escaped spelling', () => {
    const read = [
      '"error":{"message":"boom"},',
      '"usage":{"total_tokens":1},',
      '"finish_reason":"stop",',
      '"type":"x",',
    ]
    const more = ['"logprobs":{"content":[]},', '"role":"tool",', '"index":1,', '"done":true,', '"delta":{},']
    const others = ['"message":"boom",', '"text":"no",', '"content":"no",', '"choices":[],', '"candidates":[],']
    const loose = Array.from({ length: placesOf(name) }, (_, place) => LOOSE(name, place))
    for (const member of [...read, ...more, ...others]) {
      for (const spelled of [member, member.replace(/"(.)/, (_, one) => `"\\u00${one.charCodeAt(0).toString(16)}`)]) {
        for (const [place, all] of loose.entries()) {
          const stranger = withMembers(PAYLOADS[name]('g'), (at) => (at === place ? `"n":1,${spelled}` : ''))
          fastOf(name, all.toSpliced(10).toSpliced(8, 0, stranger))
        }
      }
    }
  })

  it('give the same bytes on both paths if they are not valid JSON', () => {
    const bad = [
      '"n":01,',
      '"n":NaN,',
      '"n":"\\x",',
      '"n":tru,',
      '"n":[1,],',
      '"n" 1,',
      '"n":1,,',
      '"n":,',
      '"n:1,',
      'n:1,',
    ]
    const loose = LOOSE(name)
    for (const members of [
      ...bad,
      '"n":"\t",',
      '"n\t":1,',
      '"n":{"a":1,},',
      '"n":1',
      ',',
      '"n":1}',
      '"n":-,',
      '"n":\u00a01,',
    ]) {
      const broken = withMembers(PAYLOADS[name]('g'), (at) => (at === 0 ? members : ''))
      fastOf(name, loose.toSpliced(10).toSpliced(8, 0, broken))
    }
  })

  it('give the same bytes on both paths if a chunk is cut at any byte', () => {
    const reads = LOOSE(name).map((data) => toRead(name, data))
    const [before, one, behind] = [reads.slice(0, 8), reads[8] as Uint8Array, reads.slice(9, 12)]
    for (let at = 0; at <= one.length; at += 1) {
      expect(
        both(optionsFor(WIRES[name]), [...before, one.subarray(0, at), one.subarray(at), ...behind]),
      ).toBeGreaterThan(6)
    }
    both(optionsFor(WIRES[name]), slices(new Uint8Array(Buffer.concat(reads)), 1))
  })
})

it('both paths write the same bytes if a name that is read occurs twice', () => {
  const chunk = (content: string, i: number | string, twin = ''): string =>
    `{"choices":[{"index":0,"delta":{"content":"${content}"}}],"n${i}":1,${twin}"id":"c"}`
  const twin = '"choices":[{"index":0,"delta":{"content":"other"}}],'
  expect(
    fastOf(
      'openai-chat',
      WORDS.map((word, i) => chunk(word, i)),
    ),
  ).toBeGreaterThan(33)
  fastOf('openai-chat', [
    ...WORDS.map((word, i) => chunk(word, i)),
    chunk('a', 'x', twin),
    chunk('b', 'y', twin),
    chunk('c', 'z'),
  ])
})

// ---------------------------------------------------------------- decoders that read additional fields

/** Returns a chat decoder that ends at the first chunk for which `isLast` returns true. */
function chatUntil(isLast: (chunk: Readonly<Record<string, unknown>>, state: Counted) => boolean): KnownWire {
  const chat = WIRES['openai-chat']
  return {
    ...chat,
    decodeStream: (quirks) => {
      const machine = chat.decodeStream(quirks)
      return {
        ...machine,
        initial: { ...(machine.initial as object), total: 0 },
        step(state, frame) {
          const chunk = jsonOf(frame)
          if (!isObject(chunk)) return machine.step(state, frame)
          if (isLast(chunk, state as Counted)) return machine.step(state, { event: frame.event, data: '[DONE]' })
          const { state: after, events } = machine.step(state, frame)
          const total = chunk.total_tokens
          return { state: total === (after as Counted).total ? after : { ...(after as object), total }, events }
        },
      }
    },
  }
}
interface Counted {
  readonly total: number
}

// The second row contains the unknown field names that the proof of a template inserts.
describe.each([
  [5, ''],
  [0, '"Kq7":0,"Zw3":0,'],
])('a decoder that reads a token count of %i', (total, strangers) => {
  const chunk = (text: number | string, outside: string, inside = '', counted = total): string =>
    `{${outside}"total_tokens":${counted},${strangers}"choices":[{${inside}"index":0,"delta":{"content":"w${text}"}}]}`
  const turns = WORDS.map((_, i) => (i % 2 === 0 ? chunk(i, `"n${i}":1,`) : chunk(i, '', `"n${i}":1,`)))
  const fast = (wire: KnownWire, stop: string): number =>
    fastOf('openai-chat', [...turns, stop, chunk('a', ''), ...turns], wire)

  it('takes the fast path if it reads no other field', () => {
    const wire = chatUntil(() => false)
    expect(fast(wire, chunk('z', '"stop":1,'))).toBeGreaterThan(70)
  })

  it.each<[string, (it: object) => readonly string[]]>([
    ['their names', Object.keys],
    ['all names', Object.getOwnPropertyNames],
    ['the fields of a copy', (it) => Object.keys({ ...it })],
    ['the fields of the JSON text', (it) => JSON.stringify(it).match(/(?<=")\w+(?=":)/g) ?? []],
  ])('takes the slow path for a new field if it enumerates %s', (_, list) => {
    const wire = chatUntil((it) => list(it).includes('stop'))
    expect(fast(wire, chunk('z', '"stop":1,'))).toBe(0)
  })

  it('gives the same bytes on both paths if it looks up a field only when the count changes', () => {
    const wire = chatUntil((it, state) => it.total_tokens !== state.total && it.stop === 1)
    fast(wire, chunk('z', '"stop":1,', '', total + 1))
    fast(wire, chunk('z', '"stop":1,'))
  })
})

// ---------------------------------------------------------------- random extra fields

const value = fc.oneof(
  fc.json({ stringUnit: 'grapheme' }),
  fc.constantFrom(
    '{"choices":[]}',
    '{"delta":{"text":"no"}}',
    '"\\u0041"',
    '[[[[[[[[[[1]]]]]]]]]]',
    '-0.0',
    'nul',
    '1e9',
  ),
)
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('n', 'm', 'nonce1', 'nonce22', '__proto__', 'toString', 'constructor', '0') },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme-ascii' }).map((it) => JSON.stringify(it).slice(1, -1)) },
  fc.constantFrom('error', 'usage', 'type', 'index', 'text', 'length', '', '\\u0065rror', '\\u0074ype', '\u00e9'),
)
const space = fc.constantFrom('', '', '', ' ', '  ')
const member = fc
  .tuple(name, space, space, value, space, space)
  .map(([label, a, b, it, c, d]) => `"${label}"${a}:${b}${it}${c},${d}`)

it.each(NAMES)('both paths write the same bytes for %s with random extra fields anywhere', (wire) => {
  const places = fc.array(fc.tuple(fc.nat({ max: placesOf(wire) - 1 }), member), { maxLength: 3 })
  const shares: number[] = []
  check(
    fc.property(fc.array(places, { minLength: 8, maxLength: 30 }), cuts, fc.boolean(), (chunks, at, whole) => {
      const reads = chunks.map((found, i) =>
        toRead(
          wire,
          withMembers(PAYLOADS[wire](` w${i}`), (place) =>
            found.map(([own, members]) => (own === place ? members : '')).join(''),
          ),
        ),
      )
      const pieces = whole ? reads : cutBytes(new Uint8Array(Buffer.concat(reads)), at)
      shares.push(both(optionsFor(WIRES[wire]), pieces, whole) / chunks.length)
    }),
    300,
  )
  expect(Math.max(...shares)).toBeGreaterThan(IS_WHOLE ? 0.3 : 0)
})
