import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { run } from '../../src/machine/run.ts'
import type { CallDelta, Delta } from '../../src/protocol/delta.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import type { InputItem, Request } from '../../src/protocol/request.ts'
import type { Usage } from '../../src/protocol/usage.ts'
import { sealReasoning } from '../../src/responses/encrypted-content.ts'
import { joinCalls } from '../../src/responses/join-calls.ts'
import type { SearchAnswer, SearchResult } from '../../src/search/engine.ts'
import { searchLoop } from '../../src/search/loop/loop.ts'
import type { LoopInput, LoopOutput, LoopSettings } from '../../src/search/loop/state.ts'
import { deltas } from '../arbitraries/deltas.ts'
import { builtFrom, optionsOf, writtenFrom } from '../engine/run-engine.ts'
import { check } from '../property.ts'
import { requestOf } from '../request-bodies.ts'
import { REQUEST, settingsOf } from './loop-settings.ts'

const PAGE: SearchResult = { url: 'https://a.example/', title: 'A', content: 'Excerpt', date: null }
const FOUND: SearchAnswer = { ok: true, results: [PAGE] }

interface Played {
  /** The deltas that the client receives. */
  readonly deltas: readonly Delta[]
  readonly asked: readonly Request[]
  readonly searches: readonly Extract<LoopOutput, { readonly kind: 'search' }>[]
  readonly over: boolean
}

/** Feeds turns to the loop, repeats the last one, and answers its searches, until the loop ends. */
function play(
  turns: readonly (readonly Delta[])[],
  settings: LoopSettings = settingsOf(),
  answer: (query: string) => SearchAnswer = () => FOUND,
  store: <T>(state: T) => T = (state) => state,
): Played {
  const machine = searchLoop(settings)
  const deltas: Delta[] = []
  const asked: Request[] = []
  const searches: Extract<LoopOutput, { readonly kind: 'search' }>[] = []
  let state = machine.initial
  let over = false

  const apply = (input: LoopInput): void => {
    const step = machine.step(store(state), input)
    state = step.state
    const orders: Extract<LoopOutput, { readonly kind: 'search' }>[] = []
    for (const output of step.events) {
      if (output.kind === 'search') orders.push(output)
      else if (output.kind === 'request') asked.push(output.request)
      else if (output.kind === 'over') over = true
      else deltas.push(output)
    }
    searches.push(...orders)
    for (const { key, query } of orders.toReversed()) apply({ kind: 'found', key, answer: answer(query) })
  }

  for (let turn = 0; turn < 40 && !over; turn += 1) {
    for (const delta of turns[Math.min(turn, turns.length - 1)] ?? []) apply(delta)
    apply({ kind: 'turn ended' })
  }
  return { deltas, asked, searches, over }
}

const text = (content: string, key = 'm'): Delta => ({ kind: 'text', key, part: '', text: content, logprobs: null })
const call = (name: string | null, args: string, key = 'c', callId: string | null = `id ${key}`): CallDelta => ({
  kind: 'call',
  key,
  type: 'function_call',
  callId,
  name,
  arguments: args,
})
const search = (query: string, key = 'c', callId: string | null = `id ${key}`): CallDelta =>
  call('web_search', JSON.stringify({ query }), key, callId)
const STOP: Delta = { kind: 'finish', reason: 'stop' }
const usage = (input: number | null, output: number | null, cached: number | null = null): Delta => ({
  kind: 'usage',
  usage: {
    input_tokens: input,
    output_tokens: output,
    total_tokens: null,
    cached_tokens: cached,
    reasoning_tokens: null,
  },
})

const kindsOf = ({ deltas: list }: Played): string[] => list.map(({ kind }) => kind)
const usageOf = ({ deltas: list }: Played): Usage | undefined =>
  list.flatMap((delta) => (delta.kind === 'usage' ? [delta.usage] : [])).at(-1)
const outputsOf = (request: Request | undefined): string[] =>
  (request?.input ?? []).flatMap((item: InputItem) =>
    item.type === 'function_call_output'
      ? item.output.map((part) => (part.type === 'input_text' ? part.text : ''))
      : [],
  )

describe('a loop', () => {
  it('without a call of the search is the answer itself, under keys of its turn', () => {
    const played = play([[text('Hi'), text(' you'), STOP]])
    expect(played).toMatchObject({ asked: [], searches: [], over: true })
    expect(played.deltas).toEqual([text('Hi', 'leg 1 m'), text(' you', 'leg 1 m'), STOP])
  })

  it('passes text, reasoning and calls of a turn on to the next turn', () => {
    const opaque: Delta = { kind: 'opaque', key: 'r', payload: { sig: 1 } }
    const reasoning: Delta = { kind: 'reasoning', key: 'r', part: '', text: 'Hm.', logprobs: null }
    const played = play([
      [reasoning, opaque, text('I look.'), search('Eiger'), STOP],
      [text('High.'), STOP],
    ])
    expect(played.searches).toEqual([{ kind: 'search', key: 'leg 1 search 1', query: 'Eiger', maxResults: 4 }])
    const [request] = played.asked
    expect(request?.input.slice(1)).toEqual([
      {
        type: 'reasoning',
        summary: [],
        content: ['Hm.'],
        encrypted_content: sealReasoning({ wire: '', vendor: '', model: '' }, { sig: 1 }),
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'id c', name: 'web_search', arguments: '{"query":"Eiger"}' },
      { type: 'function_call_output', call_id: 'id c', output: [{ type: 'input_text', text: expect.any(String) }] },
    ])
    expect(request?.tools).toEqual(REQUEST.tools)
  })

  it('recognises a call whose name and arguments arrive late and in pieces', () => {
    const played = play([
      [
        call(null, ''),
        call('web_', '', 'c', null),
        call('search', '', 'c', null),
        call(null, '{"query":', 'c', null),
        call(null, '"E"}', 'c', null),
        STOP,
      ],
      [text('High.'), STOP],
    ])
    expect(played.searches.map(({ query }) => query)).toEqual(['E'])
    expect(kindsOf(played)).not.toContain('call')
  })

  it('separates two calls under one key, and gives calls without an id a unique one', () => {
    const played = play([
      [search('A', 'c', null), STOP],
      [search('B', 'c', null), STOP],
      run(joinCalls, [search('C', 'c', 'one'), search('D', 'c', 'two'), STOP]),
      [search('E', 'c', null), STOP],
      [text('Done.'), STOP],
    ])
    expect(played.searches.map(({ query }) => query)).toEqual(['A', 'B', 'C', 'D', 'E'])
    const ids = played.asked.at(-1)?.input.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []))
    expect(new Set(ids).size).toBe(5)
    const answered = played.asked
      .at(-1)
      ?.input.flatMap((item) => (item.type === 'function_call_output' ? [item.call_id] : []))
    expect(answered).toEqual(ids)
  })

  it('passes on a call of the client as soon as its name differs from that of the search', () => {
    const machine = searchLoop(settingsOf())
    const first = machine.step(machine.initial, call('web', ''))
    expect(first.events).toEqual([])
    const second = machine.step(first.state, call('_fetch', '{"u', 'c', null))
    expect(second.events).toHaveLength(2)
    const third = machine.step(second.state, call(null, 'rl":1}', 'c', null))
    expect(third.events).toEqual([call(null, 'rl":1}', 'leg 1 c', null)])
  })

  it("passes on a call whose name is a prefix of the search's, at the end or before the next call", () => {
    const alone = play([[call('web', '{}'), STOP]])
    expect(kindsOf(alone)).toEqual(['call', 'finish'])
    const before = play([[call('web', '{}', 'a'), call('get', '{}', 'b'), STOP]])
    expect(before.deltas.map((delta) => (delta.kind === 'call' ? delta.name : delta.kind))).toEqual([
      'web',
      'get',
      'finish',
    ])
  })

  it("does not search beside a call of the client's own tool, whose output it cannot know", () => {
    for (const type of ['function_call', 'custom_tool_call'] as const) {
      const played = play([[search('E'), { ...call('edit', '{}', 'd'), type }, STOP]])
      expect(played).toMatchObject({ searches: [], asked: [], over: true })
      expect(kindsOf(played)).toEqual(['call', 'loss', 'finish'])
    }
  })

  it('that is over emits nothing more', () => {
    const machine = searchLoop(settingsOf())
    let { initial: state } = machine
    for (const input of [text('Hi'), STOP, { kind: 'turn ended' } as const]) ({ state } = machine.step(state, input))
    for (const input of [text('x'), STOP, { kind: 'turn ended' } as const])
      expect(machine.step(state, input).events).toEqual([])
    expect(machine.end(state)).toEqual([])
  })

  it('adds up the usage of its turns; a value that is unknown in one turn is unknown', () => {
    const both = play([
      [search('E'), usage(10, 2, 4), STOP],
      [text('x'), usage(3, 1), usage(30, 5), STOP],
    ])
    expect(usageOf(both)).toMatchObject({ input_tokens: 40, output_tokens: 7, cached_tokens: 4, total_tokens: null })
    const silent = play([
      [search('E'), usage(10, 2), STOP],
      [text('x'), STOP],
    ])
    expect(usageOf(silent)).toMatchObject({ input_tokens: null, output_tokens: null })
  })

  it('has only the finish reason of its last turn', () => {
    const played = play([
      [search('E'), STOP],
      [text('x'), { kind: 'finish', reason: 'content_filter' }],
    ])
    expect(played.deltas.filter(({ kind }) => kind === 'finish')).toEqual([
      { kind: 'finish', reason: 'content_filter' },
    ])
  })

  it('fails if a turn after a search stops for a call and has none', () => {
    const called: Delta = { kind: 'finish', reason: 'stop', called: true }
    const kindsAfter = (...turn: readonly Delta[]) => play([[search('E'), STOP], turn]).deltas.map(({ kind }) => kind)
    expect(kindsAfter(text('x'), called)).toContain('error')
    expect(kindsAfter(text('x'), call('f', '{}'), called)).not.toContain('error')
    expect(kindsAfter(text('x'), STOP)).not.toContain('error')
    expect(play([[called]]).deltas).toEqual([called])
  })

  it('completes if a turn stops for a search that is not made', () => {
    const called: Delta = { kind: 'finish', reason: 'stop', called: true }
    const played = play(
      [
        [search('E'), called],
        [search('F'), called],
      ],
      settingsOf({ maxSearches: 1 }),
    )
    expect(played.deltas.at(-1)).toEqual(STOP)
  })

  it.each<[string, readonly Delta[]]>([
    ['was cut off by its length', [search('E'), { kind: 'finish', reason: 'max_output_tokens' }]],
    ['broke off', [search('E')]],
    ['failed', [search('E'), { kind: 'error', error: upstreamError('server_error', 'No.') }, STOP]],
    ['has an incomplete call', [call('web_search', '{"query":'), { kind: 'finish', reason: 'max_output_tokens' }]],
  ])('does not search for a turn that %s', (_, turn) => {
    const played = play([turn])
    expect(played).toMatchObject({ searches: [], asked: [], over: true })
    expect(played.deltas).toContainEqual({ kind: 'loss', feature: 'a web search that could not be made' })
  })

  it('spends one budget of tokens over all turns', () => {
    const request = { ...REQUEST, max_output_tokens: 100 }
    const turn = [search('E'), usage(1, 40), STOP]
    const played = play([turn], settingsOf({ request }))
    expect(played.asked.map(({ max_output_tokens }) => max_output_tokens)).toEqual([60, 20])
    expect(played.deltas.at(-1)).toEqual({ kind: 'finish', reason: 'max_output_tokens' })
  })

  it('limits the searches of one turn, and reports that to the model', () => {
    const turn = [search('A', 'a'), search('B', 'b'), search('C', 'c'), STOP]
    const played = play([turn, [text('x'), STOP]], settingsOf({ maxSearches: 2 }))
    expect(played.searches.map(({ query }) => query)).toEqual(['A', 'B'])
    expect(outputsOf(played.asked[0])[2]).toContain('no more searches are allowed')
    expect(played.asked[0]?.tool_choice).toBe('none')
  })

  it('removes the search from several tools when no more searches are allowed', () => {
    const [other] = requestOf({ tools: [{ type: 'function', name: 'f' }] }).tools
    const request: Request = { ...REQUEST, tools: [...REQUEST.tools, ...(other === undefined ? [] : [other])] }
    const played = play(
      [
        [search('A'), STOP],
        [text('x'), STOP],
      ],
      settingsOf({ request, maxSearches: 1 }),
    )
    expect(played.asked[0]?.tools.map(({ name }) => name)).toEqual(['f'])
    expect(played.asked[0]?.tool_choice).toBeNull()
  })

  it.each([
    [6, [4, 2]],
    [5, [4, 1]],
    [4, [4]],
  ])('divides the maximum of %d results among all searches', (maxTotalResults, shares) => {
    const turn = [search('A', 'a'), search('B', 'b'), search('C', 'c'), STOP]
    const played = play([turn, [text('x'), STOP]], settingsOf({ maxTotalResults }))
    expect(played.searches.map(({ maxResults }) => maxResults)).toEqual(shares)
    expect(outputsOf(played.asked[0])[2]).toContain('no more searches are allowed')
  })

  it('numbers the results in the order of the calls, not of their arrival', () => {
    const page = (url: string): SearchAnswer => ({ ok: true, results: [{ ...PAGE, url }] })
    const turn = [search('A', 'a'), search('B', 'b'), STOP]
    const played = play([turn, [text('x'), STOP]], settingsOf(), page)
    expect(outputsOf(played.asked[0]).map((output) => /\[\d\] A\nURL: \w/.exec(output)?.[0])).toEqual([
      '[1] A\nURL: A',
      '[2] A\nURL: B',
    ])
  })

  it.each([
    ['{"query":" E "}', 'E'],
    ['{"q":"E"}', 'E'],
    ['{"queries":["E","F"]}', 'E'],
    ['"E"', 'E'],
  ])('reads the query from the arguments %s', (args, query) => {
    expect(
      play([
        [call('web_search', args), STOP],
        [text('x'), STOP],
      ]).searches.map((one) => one.query),
    ).toEqual([query])
  })

  it.each(['{}', '', 'null', '{"query":""}', '{"query":{"a":1}}', '{"query":null}', '[]', '7'])(
    'reports to the model that %j contains no query',
    (args) => {
      const played = play([
        [call('web_search', args), STOP],
        [text('x'), STOP],
      ])
      expect(played.searches).toEqual([])
      expect(outputsOf(played.asked[0])[0]).toContain('"query" is missing')
    },
  )

  it('without a tool is one turn, which cites earlier results', () => {
    const sources = [{ ...PAGE, number: 1 }]
    const played = play([[text('Hi [1]'), call('web_search', '{}'), STOP]], settingsOf({ tool: null, sources }))
    expect(kindsOf(played)).toEqual(['text', 'citation', 'call', 'finish'])
    expect(played.asked).toEqual([])
  })
})

describe('an earlier result', () => {
  const sources = [{ ...PAGE, number: 1 }]
  const annotated = (turn: readonly Delta[], dialect: 'beta' | 'openai'): [string, number][] => {
    const { deltas: list } = play([[...turn, STOP], [STOP]], settingsOf({ sources }))
    const { output } = builtFrom(optionsOf(DIALECTS[dialect]), list).body as unknown as {
      output: { type: string; content: { text: string; annotations: [] }[] }[]
    }
    const messages = output.filter(({ type }) => type === 'message')
    return messages.flatMap(({ content }) =>
      content.map((part) => [part.text, part.annotations.length] as [string, number]),
    )
  }
  const hosted = (done: boolean): Delta => ({
    kind: 'hosted',
    key: 'h',
    item: { type: 'file_search_call', id: '', status: 'completed', fields: {} },
    done,
  })
  const reasoning: Delta = { kind: 'reasoning', key: 'r', part: '', text: 'Hm.', logprobs: null }

  it.each<[string, readonly Delta[]]>([
    ['thoughts', [text('A [1]'), reasoning, text('B [1]')]],
    ['an item of the upstream’s own', [text('A [1]'), hosted(true), text('B [1]')]],
    ['the end of an item of the upstream’s own', [hosted(false), text('A [1]'), hosted(true), text('B [1]')]],
    ['a call of the search', [text('A [1]'), search('E'), text('B [1]')]],
    ['another message', [text('A [1]'), text('x', 'n'), text('B [1]')]],
    ['nothing', [text('A [1]'), { ...reasoning, text: '' } as Delta, text('B [1]')]],
    ['a stop', [text('A [1]'), { kind: 'stop', key: 'm' }, text('B [1]')]],
  ])('is cited once at every marker, with %s between two texts', (_, turn) => {
    for (const dialect of ['beta', 'openai'] as const) {
      const parts = annotated(turn, dialect)
      expect(
        parts
          .map(([content]) => content)
          .join('')
          .replace('x', ''),
      ).toBe('A [1]B [1]')
      for (const [content, count] of parts) expect(count).toBe(content.split('[1]').length - 1)
    }
  })
})

// ---------------------------------------------------------------- properties

/** Deltas of an upstream with calls of the search among them. */
const searching: fc.Arbitrary<readonly Delta[]> = fc
  .tuple(deltas, fc.array(fc.constantFrom('A', 'B', ''), { maxLength: 2 }), fc.boolean())
  .map(([list, queries, first]) => {
    const calls = queries.map(
      (query, i): Delta => (query === '' ? call('web_search', '{', `s${i}`) : search(query, `s${i}`)),
    )
    return first ? [...calls, ...list] : [...list, ...calls]
  })
const turnLists = fc.array(searching, { minLength: 1, maxLength: 4 })
const failed: SearchAnswer = { ok: false, error: upstreamError('search_failed', 'No.') }
const answers = (query: string): SearchAnswer => (query === 'A' ? FOUND : failed)
const bounds = fc.record({
  maxSearches: fc.integer({ min: 1, max: 4 }),
  tool: fc.constantFrom('web_search', 'get', null),
})

describe('properties of the loop', () => {
  it('any output in any number of turns is one well-formed stream in every dialect', () => {
    check(
      fc.property(turnLists, bounds, (turns, fields) => {
        const { deltas: list, over } = play(turns, settingsOf(fields), answers)
        expect(over).toBe(true)
        for (const dialect of Object.values(DIALECTS)) {
          expect(checkStream(writtenFrom(optionsOf(dialect), list).text, dialect)).toEqual([])
        }
      }),
      300,
    )
  })

  it('the loop ends, with no more searches and further turns than are allowed', () => {
    check(
      fc.property(turnLists, bounds, (turns, fields) => {
        const { searches, asked, over } = play(turns, settingsOf(fields), answers)
        expect(over).toBe(true)
        expect(searches.length).toBeLessThanOrEqual(fields.maxSearches)
        expect(asked.length).toBeLessThanOrEqual(fields.maxSearches)
      }),
      500,
    )
  })

  it('no call of the search reaches the client, and every other call does', () => {
    const names = (list: readonly Delta[]): string[] =>
      list.flatMap((delta) => (delta.kind === 'call' && delta.name !== null ? [delta.name] : []))
    check(
      fc.property(fc.array(fc.constantFrom('web_search', 'get', 'web', 'web_searches'), { maxLength: 4 }), (called) => {
        const turn = [...called.map((name, i) => call(name, '{"query":"A"}', `k${i}`)), STOP]
        const { deltas: list } = play([turn, [text('x'), STOP]])
        expect(names(list)).toEqual(called.filter((name) => name !== 'web_search'))
      }),
    )
  })

  it('the loop can be stopped, stored and resumed after every input', () => {
    const stored = <T>(state: T): T => JSON.parse(JSON.stringify(state))
    check(
      fc.property(turnLists, bounds, (turns, fields) => {
        const settings = settingsOf(fields)
        const plain = play(turns, settings, answers)
        expect(play(turns, settings, answers, stored)).toEqual(plain)
      }),
      300,
    )
  })

  it('every call of the history has its output, in order, even if an upstream repeats ids', () => {
    check(
      fc.property(turnLists, (turns) => {
        for (const { input } of play(turns, settingsOf(), answers).asked) {
          const calls = input.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []))
          const outputs = input.flatMap((item) => (item.type === 'function_call_output' ? [item.call_id] : []))
          expect(outputs).toEqual(calls)
        }
      }),
      300,
    )
  })
})
