import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../src/dialects/registry.ts'
import { createTranslation } from '../../../src/engine/translation.ts'
import { membersEnd, toNames } from '../../../src/fast-path/patterns/extra-fields.ts'
import { NO_MATCH, TOO_SHORT, valueEnd } from '../../../src/fast-path/patterns/scan-bytes.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { optionsOf, toBytes } from '../../engine/run-engine.ts'
import { check, IS_WHOLE, runsOf } from '../../property.ts'
import { fresh } from '../both.ts'

/** Finding the end of a JSON value without parsing the value. */

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Places the text as the scratch buffer does: with a quote behind the last byte. */
function endIn(text: string): number {
  const bytes = toBytes(text)
  return valueEnd(new Uint8Array([...bytes, 34]), bytes.length, 0)
}

const ascii = fc.string({ unit: 'grapheme-ascii' })
const value = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme-ascii' })

describe('the end of a JSON value', () => {
  it('is found before any following character', () => {
    check(
      fc.property(value, fc.constantFrom(',', '}', ']', ' ', ',"a":1', ',"'), (it, rest) => {
        const text = JSON.stringify(it)
        expect(endIn(text + rest)).toBe(text.length)
      }),
      2000,
    )
  })

  it('is found if the value contains spaces', () => {
    const spaced = '{ "a": [ 1 , -2.5e+3, {} , [ ] ], "b" : "x\\n\\"" }'
    expect(endIn(`${spaced},`)).toBe(spaced.length)
  })

  it('is found behind every valid JSON escape, and an invalid escape is no match', () => {
    const spelled = '"\\u00e9\\uD83d\\n\\/\\\\u0041"'
    expect(endIn(`${spelled},`)).toBe(spelled.length)
    for (const none of ['\\u00g0', '\\u00e', '\\U00e9', '\\u 0e9', '\\x41']) expect(endIn(`"${none}",`)).toBe(NO_MATCH)
  })

  it('is undecided while any byte is missing', () => {
    check(
      fc.property(value, fc.nat(), (it, cut) => {
        const text = JSON.stringify(it)
        fc.pre(!text.includes('\\'))
        expect(endIn(text.slice(0, cut % (text.length + (/^[-\d]/.test(text) ? 1 : 0))))).toBe(TOO_SHORT)
      }),
    )
  })

  it('is undecided if the text is cut inside an escape', () => {
    const text = '"a\\u00e9\\n\\uD83D"'
    for (let cut = 0; cut < text.length; cut += 1) expect(endIn(text.slice(0, cut))).toBe(TOO_SHORT)
  })

  it('is found only if JSON.parse accepts the value', () => {
    const pieces = fc.constantFrom(
      ...'{}[]:,"\\ -+.0123456789eEtruefalsn',
      'null',
      'true',
      '"a":',
      '\t',
      '\n',
      '"\\u00e9"',
      '"\\u00',
      '\\u',
    )
    check(
      fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: pieces }, ascii), { maxLength: 14 }), (list) => {
        const text = list.join('')
        const end = endIn(text)
        if (end >= 0) expect(isJson(text.slice(0, end))).toBe(true)
      }),
      20_000,
    )
  })

  it.each([
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    '1e+',
    '--1',
    'tru',
    'nul ',
    'NaN',
    '{a:1}',
    "{'a':1}",
    '[1,]',
    '{"a":1,}',
    '[,1]',
    '{"a"}',
    '"\\x"',
    '"\t"',
    '[1 2]',
  ])('is no match for the invalid value %s', (text) => {
    expect(endIn(`${text},`)).toBe(NO_MATCH)
    expect(isJson(text)).toBe(false)
  })

  it('is no match for a deeply nested value, which the slow path parses', () => {
    expect(endIn(`${'['.repeat(100_000)}${']'.repeat(100_000)},`)).toBe(NO_MATCH)
  })
})

describe('the end of extra fields', () => {
  const known = ['id', 'delta', 'choices', '']
  const endOfMembers = (text: string, names: readonly string[] = known): number => {
    const bytes = toBytes(text)
    return membersEnd(toNames(new Set(names)), new Uint8Array([...bytes, 34]), bytes.length, 0)
  }

  it.each([
    ['none', ''],
    ['one', '"n":1,'],
    ['more', '"n":1,"m":[{"id":1}],"n":"\\n,",'],
    ['with spaces', '"n" : 1 , "m":{ } ,  '],
    ['whose names resemble known names', '"di":1,"i":1,"idx":1,"choicef":1,"Choices":1,"delt":1,"eltad":1,"_elta":1,'],
    ['whose names are longer than every known name', `"${'n'.repeat(300)}":1,`],
    ['with punctuation in their names', '"a,b:{}[]\u007f":1,'],
  ])('is the start of the next known field, behind extra fields: %s', (_, members) => {
    for (const name of known) expect(endOfMembers(`${members}"${name}":1,"n":2,"id":3}`)).toBe(members.length)
  })

  it.each([
    '"n":1,}',
    '"n":1}',
    '"n":01,"id":1',
    '"n" 1,"id":1',
    '"n",1,"id":1',
    '"n":1 "id":1',
    '"n":1,,"id":1',
    '"n":1;"id":1',
    '"n":,"id":1',
    '\'n\':1,"id":1',
    'n:1,"id":1',
    ',"id":1',
    '"n":1,\n"id":1',
    '"\\u0069d":1,"id":1',
    '"\\u006e":1,"id":1',
    '"\\n":1,"id":1',
    '"\u00e9":1,"id":1',
    '"a\nb":1,"id":1',
    `"n":${'['.repeat(9)}${']'.repeat(9)},"id":1`,
    `"n":"${'x'.repeat(2000)}","id":1`,
  ])('is no match, so that the slow path parses the chunk: %j', (text) => {
    expect(endOfMembers(text)).toBe(NO_MATCH)
  })

  it('is undecided until the known name is complete', () => {
    const text = '"n" : [1,{"id":2}] , "m":-1.5e3,"x":"y","longer":null,"id"'
    for (let cut = 0; cut < text.length; cut += 1) expect(endOfMembers(text.slice(0, cut))).toBe(TOO_SHORT)
    expect(endOfMembers(text)).toBe(text.length - 4)
  })

  it('is found only for valid JSON, and never behind a known field', () => {
    const names = fc.constantFrom('n', 'id', 'ix', '\\u0069d', 'choices', '', '\u00e9', 'd"')
    const spaces = fc.constantFrom('', '', ' ')
    const one = fc
      .tuple(
        spaces,
        names,
        spaces,
        fc.oneof({ weight: 5, arbitrary: fc.json() }, ascii),
        spaces,
        fc.constantFrom(',', ',', ',', '}', ''),
      )
      .map(([a, name, b, it, c, comma]) => `"${name}"${a}:${b}${it}${c}${comma}`)
    const ends = { some: 0 }
    check(
      fc.property(fc.array(one, { maxLength: 5 }), (list) => {
        const end = endOfMembers(list.join(''))
        if (end <= 0) return
        ends.some += 1
        const skipped = JSON.parse(`{${list.join('').slice(0, end)}"":0}`)
        expect(Object.keys(skipped).filter((name) => known.includes(name))).toEqual([''])
        expect(list.join('').slice(end)).toMatch(/^"(?:id|choices)?"/)
      }),
      5000,
    )
    expect(ends.some).toBeGreaterThan(runsOf(5000) / 100)
  })
})

it('both paths write the same bytes for any values in fields that the decoder does not read', () => {
  const chunk = (text: string, it: string, other: string): string =>
    `data: {"choices":[{"index":0,"x":${other},"delta":{"content":${JSON.stringify(text)}}}],"nonce":${it}}\n\n`
  const values = fc.oneof(
    value.map((it) => JSON.stringify(it)),
    fc.json(),
    fc.constantFrom(
      '{"choices":[]}',
      '{"delta":{"content":"no"}}',
      '"\\u0041"',
      '[[[[[[[[[[1]]]]]]]]]]',
      '-0.0',
      'nul',
      '"',
    ),
  )
  const chunks = fc.array(fc.tuple(ascii, values, values), { minLength: 8, maxLength: 20 })
  const shares: number[] = []
  check(
    fc.property(chunks, (list) => {
      const options = optionsOf(DIALECTS.openai, {}, 'x', fresh(WIRES['openai-chat']))
      const { template: _, ...slow } = options.wire
      const reads = list.map(([text, one, other]) => toBytes(chunk(text, one, other)))
      const [quick, plain] = [createTranslation(options), createTranslation({ ...options, wire: slow })]
      for (const read of reads) expect(Buffer.compare(quick.push(read), plain.push(read))).toBe(0)
      expect(quick.push('end')).toEqual(plain.push('end'))
      const { chunks: share, ...outcome } = quick.outcome()
      const { chunks: __, ...same } = plain.outcome()
      expect(outcome).toEqual(same)
      shares.push(share.fast / share.received)
    }),
    500,
  )
  expect(Math.max(...shares)).toBeGreaterThan(IS_WHOLE ? 0.5 : 0)
})
