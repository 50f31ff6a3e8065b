import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyChanges } from '../../../src/engine/explain/changes.ts'
import type { Change } from '../../../src/engine/explain/explanation.ts'
import { type BodyValue, createTreeReader } from '../../../src/engine/explain/matching/body-tree.ts'
import type { OriginPair } from '../../../src/engine/origins.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { jsonBodies } from '../../arbitraries/json-bodies.ts'
import { check } from '../../property.ts'

const show = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ kind, path, upstreamPath }) => `${kind} ${path ?? ''} > ${upstreamPath ?? ''}`)

const changesOf = (client: JsonObject, upstream: JsonObject, origins: readonly OriginPair[] = []) =>
  show(bodyChanges(client, upstream, origins))

function treesOf(client: JsonObject, upstream: JsonObject) {
  const reader = createTreeReader()
  const byPath = (body: JsonObject) => new Map(reader.read(body).values.map((value) => [value.path, value]))
  return { before: byPath(client), after: byPath(upstream) }
}

/** The innermost path of a set that is the value's or that of one around it. */
function pathAround(value: BodyValue, paths: ReadonlySet<string>): string | null {
  for (let at: BodyValue | null = value; at !== null; at = at.parent) if (paths.has(at.path)) return at.path
  return null
}

describe('the changes of two bodies', () => {
  it('know an object by its members, in any order of them', () => {
    const { idOf } = createTreeReader()
    expect(idOf({ a: { b: 1, c: [2] }, d: 'e' })).toBe(idOf({ d: 'e', a: { c: [2], b: 1 } }))
    expect(idOf({ a: 1 })).not.toBe(idOf({ a: 2 }))
    expect(idOf('{}')).not.toBe(idOf({}))
  })

  it('account for each value of both bodies', () => {
    check(
      fc.property(jsonBodies, jsonBodies, (client, upstream) => {
        const changes = bodyChanges(client, upstream, [])
        const { before, after } = treesOf(client, upstream)
        const [sources, targets] = [new Set<string>(), new Set<string>()]
        for (const { kind, path, upstreamPath, ...values } of changes) {
          const [one, other] = [before.get(path ?? '?'), after.get(upstreamPath ?? '?')]
          expect([one === undefined, other === undefined]).toEqual([kind === 'added', kind === 'removed'])
          if (kind === 'moved') expect([one?.id === other?.id, values]).toEqual([true, {}])
          else
            expect(values).toEqual({
              ...(one === undefined ? {} : { before: one.value }),
              ...(other === undefined ? {} : { after: other.value }),
            })
          if (kind === 'changed') expect(one?.id).not.toBe(other?.id)
          // Only parts of texts have several changes.
          if (kind === 'moved') expect(sources).not.toContain(path)
          if (path !== null) sources.add(path)
          if (upstreamPath !== null) targets.add(upstreamPath)
        }
        for (const value of after.values()) {
          if (value.children.length > 0 || pathAround(value, targets) !== null) continue
          const same = before.get(value.path)
          expect([value.path, same?.id]).toEqual([value.path, value.id])
          sources.add(value.path)
        }
        for (const value of before.values())
          if (value.children.length === 0 && value.parent !== null)
            expect([value.path, pathAround(value, sources)]).not.toEqual([value.path, null])
      }),
      1500,
    )
  })

  it('keep values beside each other that occur several times', () => {
    const call = (id: string) => ({ id, arguments: '{}' })
    const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
    const [first, ...rest] = ['call_of_one_01', 'call_of_two_02', 'call_of_three_03']
    const client = {
      messages: [
        { role: 'assistant', tool_calls: [first, ...rest].map((id) => call(id ?? '')) },
        ...[first, ...rest].map((id) => result(id ?? '', 'It is the same result.')),
      ],
    }
    // The first result is another one now.
    const upstream = {
      messages: [
        {
          role: 'assistant',
          content: [first, ...rest].map((id) => ({ type: 'tool_use', id, input: {} })),
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: first, content: 'None' },
            ...rest.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'It is the same result.' })),
          ],
        },
      ],
    }
    const origins = [0, 1, 2].flatMap((at): readonly OriginPair[] => [
      [`messages[0].content[${at}]`, `messages[0].tool_calls[${at}]`],
      [`messages[1].content[${at}]`, `messages[${at + 1}]`],
    ])
    const changes = changesOf(client, upstream, origins)
    for (const at of [1, 2]) {
      expect(changes).toContain(`moved messages[${at + 1}].content > messages[1].content[${at}].content`)
      expect(changes).toContain(`changed messages[0].tool_calls[${at}].arguments > messages[0].content[${at}].input`)
    }
  })

  it('follow members into other names and places', () => {
    const client = { n: 1, parallel_tool_calls: true, top_k: 3, reasoning: { effort: 'low' }, stop: 'halt', seed: 3 }
    const upstream = {
      config: { parallelToolCalls: true, topK: 3, stopSequences: ['halt'] },
      reasoning: { effort: 'high' },
    }
    const origins: readonly OriginPair[] = [
      ['config.parallelToolCalls', 'parallel_tool_calls'],
      ['config.topK', 'top_k'],
      ['config.stopSequences[0]', 'stop'],
    ]
    expect(changesOf(client, upstream, origins)).toEqual([
      'moved parallel_tool_calls > config.parallelToolCalls',
      'moved top_k > config.topK',
      'moved stop > config.stopSequences[0]',
      'changed reasoning.effort > reasoning.effort',
      'removed n > ',
      'removed seed > ',
    ])
  })

  it('find the parts of joined and of divided texts, in their order', () => {
    const url = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg=='
    const texts = ['The first text of the system.', 'The second text of the system.']
    const client = { system: texts, picture: { url } }
    const upstream = {
      instructions: texts.join('\n\n'),
      source: { media_type: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' },
    }
    expect(changesOf(client, upstream)).toEqual([
      'changed system[0] > instructions',
      'changed system[1] > instructions',
      'changed picture.url > source.media_type',
      'changed picture.url > source.data',
    ])
    expect(changesOf(upstream, client)).toEqual([
      'changed instructions > system[0]',
      'changed instructions > system[1]',
      'changed source.media_type > picture.url',
      'changed source.data > picture.url',
    ])
  })

  it('find the place of each text of several that are equal', () => {
    const url = 'https://a.example/picture.png'
    const client = { first: { url }, second: { url }, third: { url } }
    const upstream = { parts: [{ uri: url }, { uri: url }, { uri: url }] }
    expect(changesOf(client, upstream)).toEqual([
      'moved first.url > parts[0].uri',
      'moved second.url > parts[1].uri',
      'moved third.url > parts[2].uri',
    ])
  })

  it('find the place of a text of several lines behind a text that ends with one of them', () => {
    const line = 'A line of the rules.'
    const rules = `${line}\n${line}`
    expect(changesOf({ rules }, { first: `So: ${line}`, second: `${rules}\nThe end.` })).toEqual([
      'added  > first',
      'changed rules > second',
    ])
  })

  it('read no text as JSON that is nested without bound', () => {
    const deep = (open: string, close: string, times: number) => open.repeat(times) + close.repeat(times)
    const client = { a: deep('[', ']', 50_000), b: deep('{"a":', '}', 9).replace('}', '1}') }
    expect(changesOf(client, { c: client.a, d: JSON.parse(client.b) }, [['d', 'b']])).toEqual([
      'moved a > c',
      'changed b > d',
    ])
    expect(changesOf(client, { c: [] })).toEqual(['added  > c', 'removed a > ', 'removed b > '])
  })
})
