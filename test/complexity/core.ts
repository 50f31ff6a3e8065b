import { checkEvents } from '../../src/conformance/check.ts'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { read } from '../../src/dialects/read.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { run } from '../../src/machine/run.ts'
import type { CallDelta, Citation, Delta } from '../../src/protocol/delta.ts'
import type { Event } from '../../src/protocol/event.ts'
import type { Capabilities } from '../../src/responses/capabilities.ts'
import { collect } from '../../src/responses/collect.ts'
import { respond } from '../../src/responses/respond.ts'
import { eventsToDeltas } from '../../src/responses/to-deltas.ts'
import { type BufferedCalls, bufferCall, NO_CALLS } from '../../src/search/loop/buffered-calls.ts'
import { OWN_EVENTS } from '../conformance/own-events.ts'
import { write } from '../engine/run-dialect.ts'
import { headOf } from '../engine/run-engine.ts'
import type { Work } from './growth.ts'

/** The machines of the core, without the wires. */
export interface CoreCase {
  readonly title: string
  readonly work: Work
  /** The smallest measured input; 64 by default. */
  readonly start?: number
}

const many = <T>(n: number, make: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => make(i))
const each = <T>(n: number, make: (i: number) => readonly T[]): readonly T[] => many(n, make).flat()

const FINISH: Delta = { kind: 'finish', reason: 'stop' }
const text = (content: string, key = 'm', part = ''): Delta => ({
  kind: 'text',
  key,
  part,
  text: content,
  logprobs: null,
})
const reasoning = (content: string): Delta => ({ kind: 'reasoning', key: 'r', part: '', text: content, logprobs: null })
const call = (key: string, name: string | null, args: string, callId: string | null = null): CallDelta => ({
  kind: 'call',
  key,
  type: 'function_call',
  callId,
  name,
  arguments: args,
})
const stop = (key: string): Delta => ({ kind: 'stop', key })
const cite = (citation: Partial<Citation>, key = 'm'): Delta => ({
  kind: 'citation',
  key,
  part: '',
  citation: { url: 'https://a.example/', title: null, content: null, span: null, marker: null, ...citation },
})
/** A sentence of eleven characters: twelve UTF-16 units, fourteen bytes. */
const sentence = (i: number): string => `${`${i}`.padStart(7, '0')} 😀. `
const spanOf = (i: number, unit: 'utf16' | 'code-point' | 'utf8') => {
  const length = { utf16: 12, 'code-point': 11, utf8: 14 }[unit]
  return { start: i * length, end: i * length + 7, unit }
}

const DELTAS: Readonly<Record<string, (n: number) => readonly Delta[]>> = {
  'items of one kind, one after the other': (n) => each(n, (i) => [text('x', `m${i}`), stop(`m${i}`)]),
  'text and reasoning in turn': (n) => each(n, () => [text('x'), reasoning('y')]),
  'parts of one item': (n) => many(n, (i) => text('x', 'm', `p${i}`)),
  'summary parts of one item': (n) =>
    many(n, (i): Delta => ({ kind: 'summary', key: 'r', part: `p${i}`, text: 'x', logprobs: null })),
  'calls that are open at once': (n) => [
    ...many(n, (i) => call(`${i}`, 'look', '{"a":', `call_${i}`)),
    ...many(n, (i) => call(`${i}`, null, '1}')),
    ...many(n, (i) => stop(`${i}`)),
  ],
  'calls that are open at once and never complete': (n) => many(n, (i) => call(`${i}`, 'look', '{"a":', `call_${i}`)),
  'calls of one key': (n) => many(n, (i) => call('0', 'look', '{"a":', `call_${i}`)),
  'calls without names': (n) => many(n, (i) => call(`${i}`, null, '{')),
  'names that come late': (n) => [
    ...many(n, (i) => call(`${i}`, null, '')),
    ...many(n, (i) => call(`${i}`, 'look', '{}', `call_${i}`)),
  ],
  'a call that is checked for completeness at every delta': (n) => [
    call('long', 'look', '{"a":["', 'call_long'),
    ...each(n, (i) => [
      call('long', null, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'),
      call('long', null, 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'),
      call(`${i}`, 'look', '{}', `call_${i}`),
    ]),
  ],
  'a call that is named again and again': (n) => [
    call('0', 'look', `{"a":"${'x'.repeat(8 * n)}"}`, 'call_first'),
    ...many(n, (i) => call('0', 'look', '', `call_${i}`)),
  ],
  'messages that are held': (n) => [
    ...each(n, (i): Delta[] => [text('x', `m${i}`), { kind: 'hold', key: `m${i}` }]),
    ...many(n, (i) => text('y', `m${i}`)),
    ...many(n, (i) => stop(`m${i}`)),
  ],
  'citations with spans while the text grows, in UTF-16': (n) =>
    each(n, (i) => [text(sentence(i)), cite({ span: spanOf(i, 'utf16') })]),
  'citations with spans while the text grows, in characters': (n) =>
    each(n, (i) => [text(sentence(i)), cite({ span: spanOf(i, 'code-point') })]),
  'citations with spans while the text grows, in bytes': (n) =>
    each(n, (i) => [text(sentence(i)), cite({ span: spanOf(i, 'utf8') })]),
  'citations with quotes at other positions': (n) => [
    ...many(n, (i) => text(sentence(i))),
    ...many(n, (i) => cite({ span: spanOf(i, 'utf8'), quote: sentence((i * 7) % n).slice(0, 7) })),
  ],
  'citations with quotes that stand nowhere': (n) => [
    ...many(n, (i) => text(sentence(i))),
    ...many(n, (i) => cite({ span: spanOf(i, 'utf8'), quote: `no${i}` })),
  ],
  'citations with links': (n) => [
    ...many(n, (i) => text(`[site](https://a.example/${i}) `)),
    ...many(n, (i) => cite({ url: `https://a.example/${i}` })),
  ],
  'citations with excerpts': (n) => [
    ...many(n, (i) => text(sentence(i))),
    ...many(n, (i) => cite({ url: '', content: sentence(i).slice(0, 9) })),
  ],
  'sources with markers': (n) => [
    ...many(n, (i) => text(`w[${i}]`)),
    ...many(n, (i) => cite({ url: `https://a.example/${i}`, marker: `[${i}]`, linked: true })),
  ],
  'sources that are told again with each text': (n) =>
    each(n, () => [
      text('w[1]'),
      ...many(10, (i) => cite({ url: `https://a.example/${i}`, marker: `[${i}]`, linked: true })),
    ]),
  'citations that come before their text': (n) => [
    ...many(n, (i) => cite({ span: spanOf(i, 'utf16') })),
    ...many(n, (i) => text(sentence(i))),
  ],
  'citations that come before other texts': (n) => [
    ...many(n, (i) => cite({ span: spanOf(i, 'utf16') }, `early${i}`)),
    ...each(n, () => [text('x'), reasoning('y')]),
  ],
  'citations of items of one key': (n) =>
    each(n, (i) => [text(sentence(i)), cite({ span: spanOf(i, 'code-point') }), reasoning('y')]),
  'citations of blocks': (n) =>
    each(n, (i): Delta[] => [{ kind: 'mark', key: 'm' }, text(sentence(i)), { ...cite({}), block: true } as Delta]),
  losses: (n) => many(n, (i): Delta => ({ kind: 'loss', feature: `feature ${i}` })),
}

const hubOf = (capabilities: Capabilities) => respond(headOf('x'), capabilities)

const eventsOf = (n: number, name: string): readonly Event[] =>
  run(hubOf(DIALECTS.openai), [...(DELTAS[name] ?? (() => []))(n), FINISH])

const REDUCED: readonly CoreCase[] = Object.entries(DELTAS).map(([title, deltas]) => ({
  title: `respond: ${title}`,
  work: (n) => {
    const list = [...deltas(n), FINISH]
    const hub = hubOf(DIALECTS.openai)
    return () => void run(hub, list)
  },
}))

/** The cases whose events are numerous in different ways. */
const EVENT_CASES = [
  'items of one kind, one after the other',
  'parts of one item',
  'calls that are open at once',
  'messages that are held',
  'citations with spans while the text grows, in UTF-16',
]

const READERS: readonly CoreCase[] = EVENT_CASES.flatMap((name): CoreCase[] => [
  {
    title: `consume: ${name}`,
    work: (n) => {
      const events = eventsOf(n, name)
      return () => void run(eventsToDeltas, events)
    },
  },
  {
    title: `collect: ${name}`,
    work: (n) => {
      const events = eventsOf(n, name)
      return () => void run(collect, events)
    },
  },
  {
    title: `grammar: ${name}`,
    work: (n) => {
      const events = eventsOf(n, name).map((event) => ({ type: event.type, fields: { ...event } }))
      return () => void run(checkEvents(OWN_EVENTS), events)
    },
  },
  ...Object.values(DIALECTS).map(
    (dialect): CoreCase => ({
      title: `read, ${dialect.name}: ${name}`,
      work: (n) => {
        const list = run(write(dialect), eventsOf(n, name)).map(toFrame)
        return () => void run(read(dialect), list)
      },
    }),
  ),
])

const CHECKERS: readonly CoreCase[] = Object.values(DIALECTS).map(
  (dialect): CoreCase => ({
    title: `check, ${dialect.name}: calls that are open at once`,
    work: (n) => {
      const text = run(write(dialect), eventsOf(n, 'calls that are open at once')).join('')
      return () => void checkStream(text, dialect)
    },
  }),
)

const toFrame = (written: string): Frame => ({ event: '', data: written.slice(written.indexOf('data: ') + 6) })

const hold =
  (deltas: (n: number) => readonly CallDelta[]): Work =>
  (n) => {
    const list = deltas(n)
    return () => {
      let calls: BufferedCalls = NO_CALLS
      for (const delta of list) calls = bufferCall(calls, delta, 'web_search').calls
    }
  }

const SEARCHES: readonly CoreCase[] = [
  {
    title: 'search: calls of the client',
    work: hold((n) => many(n, (i) => call(`${i}`, 'look', '{}', `call_${i}`))),
  },
  {
    title: 'search: calls of the search',
    work: hold((n) => many(n, (i) => call(`${i}`, 'web_search', '{"query":"q"}', `call_${i}`))),
  },
  {
    title: 'search: a call in many pieces',
    work: hold((n) => [call('0', 'web_search', '{"query":"', 'c'), ...many(n, () => call('0', null, 'xx'))]),
  },
  {
    title: 'search: calls without names',
    work: hold((n) => many(n, (i) => call(`${i}`, null, '{}'))),
  },
]

export const CORE_CASES: readonly CoreCase[] = [...REDUCED, ...READERS, ...CHECKERS, ...SEARCHES]
