import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { createJsonWriter, type JsonWriter } from '../../src/dialects/json-writer.ts'
import { projectObject as projectInSteps, writeView as writeInSteps } from '../../src/dialects/projection.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { Json } from '../../src/protocol/json.ts'
import { runSteps } from '../../src/text/steps.ts'
import { check } from '../property.ts'

const projectObject = (...call: Parameters<typeof projectInSteps>) => runSteps(projectInSteps(...call))
const writeView = (...call: Parameters<typeof writeInSteps>) => runSteps(writeInSteps(...call))

describe('a hosted item of the upstream', () => {
  it('is shown with its own fields unchanged, whatever their names', () => {
    const fields = {
      output: [null, 'x'],
      content: 'y',
      annotations: [1],
      summary: [{ text: 'z' }],
      title: null,
      usage: {},
    }
    for (const dialect of Object.values(DIALECTS)) {
      expect(projectObject(dialect, { type: 'mcp_call', id: 'mcp_1', status: 'completed', fields }, '')).toEqual({
        type: 'mcp_call',
        id: 'mcp_1',
        status: 'completed',
        ...fields,
      })
    }
  })
})

describe('the JSON writer of a dialect', () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)
  const names = ['type', 'id', 'title', 'text', 'tools', 'fields', '__proto__', 'constructor', '1', 'a"b', '?', '']
  const name = fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 4 }))
  const long = fc.constantFrom('x'.repeat(1023), 'é"\n'.repeat(400), '\ud83d'.repeat(1100))
  const value = fc.oneof(json, long, fc.tuple(json, long))
  const kinds = ['message', 'reasoning', 'function_call', 'output_text', 'url_citation', 'mcp_call']
  const kind = fc.constantFrom(...kinds, undefined)
  const fieldsOf = fc.array(fc.tuple(name, value), { maxLength: 8 }).map((fields) => Object.fromEntries(fields))
  const part = fc.tuple(fieldsOf, kind).map(([fields, type]) => ({ ...fields, fields: {}, type }))
  const list = fc.option(fc.array(part, { maxLength: 2 }), { nil: 'x' })
  /** Generates an object with the fields of internal objects beside arbitrary fields. */
  const object = fc
    .tuple(fieldsOf, list, list, fc.option(fc.record({ input_tokens: fc.nat() })), fc.array(fc.record({ text: long })))
    .map(([own, content, annotations, usage, summary]) => ({
      ...own,
      fields: {},
      content,
      annotations,
      usage,
      summary,
    }))

  /** Returns the text written since the last call. */
  const textOf = (speller: JsonWriter): string =>
    speller
      .take()
      .map((piece) => (typeof piece === 'string' ? piece : JSON.stringify(piece.long).slice(1, -1)))
      .join('')

  function spelled(dialect: Dialect, shown: object, as: string, times: number): string {
    const speller = createJsonWriter()
    for (let i = 0; i < times; i += 1) {
      speller.take()
      writeView(dialect, speller, shown, as)
    }
    return textOf(speller)
  }

  it('writes the JSON of the projection for any object, also when it is repeated', () => {
    const views = fc.constantFrom('', 'response', 'response:brief', 'item')
    check(
      fc.property(object, fieldsOf, kind, views, fc.integer({ min: 1, max: 3 }), (own, fields, type, as, times) => {
        const shown = { ...own, type, fields: type === 'mcp_call' ? fields : undefined }
        for (const dialect of Object.values(DIALECTS)) {
          expect(spelled(dialect, shown, as, times)).toBe(JSON.stringify(projectObject(dialect, shown, as)))
        }
      }),
      2_000,
    )
  })

  it('writes the same JSON from its cache, for any order of objects and projections', () => {
    const place = fc.tuple(fc.nat(1), fc.constantFrom('', 'response', 'response:brief'), fc.boolean())
    check(
      fc.property(object, object, fc.array(place, { maxLength: 6 }), (one, other, places) => {
        const speller = createJsonWriter()
        const reads: string[] = []
        const expected: string[] = []
        for (const [which, as, taken] of places) {
          const shown = [one, other][which] as object
          speller.add('before ')
          speller.writeOnce(shown, as, () => writeView(DIALECTS.openai, speller, shown, as))
          speller.add(' behind ')
          expected.push(`before ${JSON.stringify(projectObject(DIALECTS.openai, shown, as))} behind `)
          if (taken) reads.push(textOf(speller))
        }
        expect(reads.join('') + textOf(speller)).toBe(expected.join(''))
      }),
      500,
    )
  })

  it('writes the same object in the same projection only once', () => {
    const speller = createJsonWriter()
    let asked = 0
    const once = (value: object, as: string): void =>
      speller.writeOnce(value, as, () => {
        asked += 1
        speller.add(`${as} `)
      })
    const [one, other] = [{}, {}]
    once(one, 'a')
    once(one, 'a')
    once(one, 'b')
    once(other, 'b')
    once(one, 'a')
    expect(textOf(speller)).toBe('a a b b a ')
    expect(asked).toBe(4)
  })
})
