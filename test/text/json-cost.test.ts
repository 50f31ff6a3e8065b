import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonCost, type JsonLimits } from '../../src/text/json-cost.ts'
import { parsePieces, parseTextPieces } from '../../src/text/json-pieces.ts'
import { runSteps } from '../../src/text/steps.ts'
import { cutBytes, cuts, slices } from '../arbitraries/bytes.ts'
import { hostile, TRAPS } from '../arbitraries/strings.ts'
import { check } from '../property.ts'

const MANY: JsonLimits = { depth: 100, values: 1e6, members: 1e6 }

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function scan(text: string | Uint8Array, limits = MANY, at: readonly number[] = [], piece?: number): JsonCost {
  const found = new JsonCost(limits, piece)
  for (const part of cutBytes(typeof text === 'string' ? bytesOf(text) : text, at)) found.add(part)
  return found
}

const names = fc.oneof(fc.constantFrom(...TRAPS, '\u0001', '\\u0001', '1', '0', 'a', 'b', '"'), hostile)

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(fc.constantFrom<unknown>(null, true, -1.5e-9, 0, ''), hostile),
    fc.array(tie('json'), { maxLength: 6 }),
    fc.dictionary(names, tie('json'), { maxKeys: 6, noNullPrototype: true }),
  ),
}))

/** JSON in unusual spelling: with spaces, duplicate names, and escapes that are not required. */
const written = fc
  .tuple(json, fc.constantFrom(undefined, 1, '\t'), fc.boolean(), fc.boolean())
  .map(([value, space, escapes, twice]) => {
    const text = JSON.stringify(value, null, space)
    const shown = escapes
      ? text.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : text
    return twice ? `{"a":[1],"b":${shown},"a":${shown}}` : shown
  })

/** Random brackets, commas and quotes: seldom valid JSON, and often nearly valid. */
const rubble = fc
  .array(fc.constantFrom(...'[]{},:"\\ 1', '"a"', '"aaaaaaaa"', '.5', 'e5', '""', 'null', '"\\u0001"', 'é'), {
    maxLength: 14,
  })
  .map((words) => words.join(''))

const texts = fc.oneof(written, rubble)

const parsed = (text: string): unknown => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1)
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const membersOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Math.max(Array.isArray(value) ? 0 : Object.keys(value).length, ...Object.values(value).map(membersOf))
    : 0

describe('the cost of a JSON text', () => {
  it('counts the values that JSON.parse builds, wherever the bytes are cut', () => {
    check(
      fc.property(json, cuts, (value, at) => {
        const found = scan(JSON.stringify(value), MANY, at)
        expect(found).toMatchObject({ values: countValues(value), excess: null, malformed: false, empty: false })
      }),
    )
  })

  it('reports a limit that is exceeded, but not one that is met exactly', () => {
    check(
      fc.property(json, cuts, (value, at) => {
        const text = JSON.stringify(value)
        const exact = { depth: depthOf(value), values: countValues(value), members: membersOf(value) }
        expect(scan(text, exact, at).excess).toBeNull()
        const less = { ...exact, values: exact.values - 1 }
        expect(scan(text, less, at).excess).toEqual({ of: 'values', most: less.values })
        if (exact.depth > 0) {
          expect(scan(text, { ...exact, depth: exact.depth - 1 }, at).excess).toEqual({
            of: 'depth',
            most: exact.depth - 1,
          })
        }
        if (exact.members > 1) {
          const fewer = { ...exact, members: exact.members - 1 }
          expect(scan(text, fewer, at).excess).toEqual({ of: 'members', most: fewer.members })
        }
      }),
    )
  })

  it('never reports valid JSON as malformed', () => {
    check(
      fc.property(texts, cuts, (text, at) => {
        if (parsed(text) !== null) expect(scan(text, MANY, at).malformed).toBe(false)
      }),
    )
  })

  it('reports whether a text is empty', () => {
    expect(scan('').empty).toBe(true)
    expect(scan(' \r\n\t').empty).toBe(true)
    expect(scan(' 1').empty).toBe(false)
  })

  it('scans long strings that end with escapes', () => {
    for (const end of ['\\\\', '\\"', '\\\\\\"', '']) {
      for (const length of [0, 1, 30, 31, 32, 33, 200]) {
        const text = `["${'x'.repeat(length)}${end}",1]`
        for (let at = 0; at <= text.length; at += 1) expect(scan(text, MANY, [at]).values).toBe(3)
      }
    }
  })
})

describe('the parser of JSON in pieces', () => {
  it('returns the value of JSON.parse for pieces of any size, or the same refusal', () => {
    check(
      fc.property(texts, cuts, fc.integer({ min: 1, max: 40 }), (text, at, piece) => {
        const bytes = bytesOf(text)
        const found = scan(bytes, MANY, at, piece)
        if (found.malformed || found.excess !== null) return
        const read = runSteps(parsePieces([...cutBytes(bytes, at)], found.cuts))
        const plain = parsed(new TextDecoder().decode(bytes))
        if (plain === null) {
          expect(read).toEqual({ ok: false, wrong: 'json' })
          return
        }
        const { value } = plain as { value: unknown }
        // Compares also the order of members, and names such as `__proto__`.
        expect(read.ok && JSON.stringify(read.value)).toBe(JSON.stringify(value))
      }),
      3000,
    )
  })

  it('reads a text as it reads its bytes, with and without a byte order mark', () => {
    check(
      fc.property(texts, fc.constantFrom('', '\ufeff'), fc.integer({ min: 1, max: 40 }), (text, mark, piece) => {
        const all = mark + text
        const bytes = bytesOf(all)
        const found = scan(bytes, MANY, [], piece)
        if (found.malformed || found.excess !== null) return
        const fromBytes = runSteps(parsePieces([bytes], found.cuts))
        const fromText = runSteps(parseTextPieces(all, bytes, found.cuts))
        expect(fromText).toEqual(fromBytes)
        expect(JSON.stringify(fromText)).toBe(JSON.stringify(fromBytes))
      }),
      2000,
    )
    const long = JSON.stringify({ a: ['x'.repeat(3_000_000), 1], b: { c: 2 } })
    const bytes = bytesOf(long)
    expect(runSteps(parseTextPieces(long, bytes, scan(bytes, MANY, [], 1).cuts))).toEqual({
      ok: true,
      value: JSON.parse(long),
    })
  })

  it.each(['.5', 'e5', '0', '"a"', 'null', ':1', '{}'])('refuses %s behind a long string', (more) => {
    for (const text of [`["aaaaaaaa"${more}]`, `{"a":"aaaaaaaa"${more}}`]) {
      const { cuts: found } = scan(text, MANY, [], 1)
      expect(found).not.toEqual([])
      expect(runSteps(parsePieces([bytesOf(text)], found))).toEqual({ ok: false, wrong: 'json' })
    }
  })

  it('cuts a text at every comma where it can pause', () => {
    const text = '{"a":[1,[2,3],{"b":4,"c":[5,6]}],"d":7}'
    const { cuts: found } = scan(text, MANY, [], 1)
    expect(found).toHaveLength([...text].filter((char) => char === ',').length)
    const steps = parsePieces([bytesOf(text)], found)
    let slices = 1
    for (let next = steps.next(); next.done !== true; next = steps.next()) slices += 1
    expect(slices).toBe(found.length + 1)
  })

  it('rejects invalid UTF-8 and a byte order mark inside the text', () => {
    const broken = new Uint8Array([...bytesOf('["'), 0xff, ...bytesOf('"]')])
    expect(runSteps(parsePieces([broken], []))).toEqual({ ok: false, wrong: 'text' })
    const marked = bytesOf('[1,\ufeff2]')
    expect(runSteps(parsePieces([marked], scan(marked, MANY, [], 1).cuts))).toEqual({ ok: false, wrong: 'json' })
    expect(runSteps(parsePieces([bytesOf('\ufeff[1]')], []))).toEqual({ ok: true, value: [1] })
  })

  it('decodes a character and a mark that are split between blocks', () => {
    const bytes = bytesOf('\ufeff["é☂😀"]')
    for (let size = 1; size <= bytes.length; size += 1)
      expect(runSteps(parsePieces([...slices(bytes, size)], []))).toEqual({ ok: true, value: ['é☂😀'] })
    expect(runSteps(parsePieces([...slices(bytesOf('\ufeff\ufeff[1]'), 3)], []))).toEqual({ ok: false, wrong: 'json' })
    for (const cut of [bytes.subarray(0, 6), Uint8Array.of(0x22, 0xf0, 0x9f)])
      expect(runSteps(parsePieces([...slices(cut, 1)], []))).toEqual({ ok: false, wrong: 'text' })
  })

  it('keeps no block of a text that is decoded', () => {
    const bytes = bytesOf(JSON.stringify({ a: { b: ['x'.repeat(5_000_000), 1, 2] } }))
    const blocks = [...slices(bytes, 1024 * 1024)]
    const sizes: number[] = []
    const steps = parsePieces(blocks, scan(bytes, MANY, [], 100).cuts)
    for (let next = steps.next(); next.done !== true; next = steps.next()) sizes.push(blocks.length)
    expect(sizes.slice(0, 4)).toEqual([5, 4, 3, 2])
    expect(blocks).toEqual([])
  })

  it('does not cut a text with a member of the reserved name', () => {
    const text = '{"a":["\\u0001",{"\\u0001":1,"b":2}],"\\u00011":3,"c":4}'
    const bytes = bytesOf(text)
    for (let size = 1; size <= bytes.length; size += 1) {
      const found = new JsonCost(MANY, 1)
      for (const part of slices(bytes, size)) found.add(part)
      expect(found.cuts).toEqual([])
    }
    expect(scan(text.replace('{"\\u0001":1', '{"\\u0002":1'), MANY, [], 1).cuts).not.toEqual([])
  })

  it('yields several times within a long string', () => {
    const bytes = bytesOf(JSON.stringify(['☂'.repeat(2_000_000)]))
    const steps = parsePieces([bytes], scan(bytes).cuts)
    let slices = 0
    let next = steps.next()
    for (; next.done !== true; next = steps.next()) slices += 1
    expect(slices).toBeGreaterThan(4)
    expect(next.value).toEqual({ ok: true, value: ['☂'.repeat(2_000_000)] })
  })
})
