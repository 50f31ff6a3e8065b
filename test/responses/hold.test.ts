import { describe, expect, it } from 'vitest'
import { beta } from '../../src/dialects/beta.ts'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { Event } from '../../src/protocol/event.ts'
import { respond } from '../../src/responses/respond.ts'
import { write } from '../engine/run-dialect.ts'
import { headOf } from '../engine/run-engine.ts'

const text = (key: string, content: string): Delta => ({ kind: 'text', key, part: '', text: content, logprobs: null })
const search: Delta = {
  kind: 'hosted',
  key: 's',
  item: { type: 'web_search_call', id: '', status: 'completed', fields: {} },
  done: true,
}
const cite = (key: string): Delta => ({
  kind: 'citation',
  key,
  part: '',
  citation: {
    url: 'https://a.example/',
    title: null,
    content: null,
    span: { start: 0, end: 5, unit: 'utf8' },
    marker: null,
  },
})
const hold: Delta = { kind: 'hold', key: 'a' }
const finish: Delta = { kind: 'finish', reason: 'stop' }

const toEvents = (deltas: readonly Delta[]): readonly Event[] => {
  const events = run(respond(headOf('x'), openai), deltas)
  expect(checkStream(run(write(openai), events).join(''), openai)).toEqual([])
  return events
}

const order = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'output_item.added' || event.type === 'output_item.done'
      ? [`${event.type.slice('output_item.'.length)} ${event.output_index}`]
      : [],
  )

const annotated = (events: readonly Event[]): readonly number[] =>
  events.flatMap((event) => (event.type === 'output_text.annotation.added' ? [event.output_index] : []))

describe('an item that is held open', () => {
  it('stays open while other items start and end, and accepts citations', () => {
    const events = toEvents([text('a', 'First'), hold, search, text('b', 'Second'), cite('a'), cite('b'), finish])
    expect(order(events)).toEqual(['added 0', 'added 1', 'done 1', 'added 2', 'done 0', 'done 2'])
    expect(annotated(events)).toEqual([0, 2])
  })

  it('is done as soon as a stop delta ends it', () => {
    const events = toEvents([text('a', 'First'), hold, search, { kind: 'stop', key: 'a' }, text('b', 'Second'), finish])
    expect(order(events)).toEqual(['added 0', 'added 1', 'done 1', 'done 0', 'added 2', 'done 2'])
  })

  it('is done at the next item if it is not held, and later citations are dropped', () => {
    const hub = respond(headOf('x'), openai)
    const deltas = [text('a', 'First'), search, cite('a'), finish]
    expect(order(toEvents(deltas))).toEqual(['added 0', 'done 0', 'added 1', 'done 1'])
    expect(annotated(run(hub, deltas))).toEqual([])
  })

  it('is ignored if it does not exist yet', () => {
    expect(order(toEvents([hold, text('a', 'First'), search, finish]))).toEqual([
      'added 0',
      'done 0',
      'added 1',
      'done 1',
    ])
  })
})

it('reasoning items are not held, because some dialects cannot distinguish them', () => {
  const reasoning = (kind: 'summary' | 'reasoning', key: string): Delta => ({
    kind,
    key,
    part: '',
    text: key,
    logprobs: null,
  })
  const deltas: readonly Delta[] = [
    { kind: 'opaque', key: 'a', payload: '' },
    hold,
    reasoning('summary', 'b'),
    reasoning('reasoning', 'a'),
    finish,
  ]
  expect(checkStream(run(write(beta), run(respond(headOf('x'), beta), deltas)).join(''), beta)).toEqual([])
})
