import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { openaiReasoningText } from '../../src/dialects/openai.ts'
import { read } from '../../src/dialects/read.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { createSseReader } from '../../src/framing/sse.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { Event } from '../../src/protocol/event.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { respond } from '../../src/responses/respond.ts'
import { eventsToDeltas } from '../../src/responses/to-deltas.ts'
import { deltas } from '../arbitraries/deltas.ts'
import { jsonOf } from '../arbitraries/json.ts'
import { write } from '../engine/run-dialect.ts'
import { ALL_FIXTURES, headOf, optionsOf, toBytes, translated } from '../engine/run-engine.ts'
import { check, expectEqual } from '../property.ts'
import { RECORDED_STREAMS, readRecorded } from '../recordings.ts'

/** Law 10: a dialect reads the events that it writes, up to the columns that it omits. */

const READABLE: readonly (readonly [string, Dialect])[] = [
  ...Object.entries(DIALECTS),
  ['openai with raw reasoning', openaiReasoningText],
]

const toEvents = (dialect: Dialect, list: readonly Delta[]): readonly Event[] =>
  run(respond(headOf('x'), dialect, JSON.stringify), list)

function framesOf(text: string): readonly Frame[] {
  const reader = createSseReader(1 << 26)
  return [...reader.push(toBytes(text)), ...reader.end()]
}

const objectsOf = (frames: readonly Frame[]): readonly JsonObject[] =>
  frames.flatMap(({ data }) => (data === '[DONE]' ? [] : [JSON.parse(data)]))

/** Compares the frames of two streams. The same text has the same frames. */
function expectSameFrames(again: string, text: string): void {
  if (again !== text) expect(objectsOf(framesOf(again))).toEqual(objectsOf(framesOf(text)))
}

/**
 * Collects text by part, calls, citations and endings, however the deltas are cut. If reasoning has no address in the
 * dialect, joins all of it.
 */
function contentOf(list: readonly Delta[], byPart: boolean) {
  const runs = new Map<string, string>()
  const rest: unknown[] = []
  for (const delta of list) {
    if ('text' in delta) {
      const isReasoning = delta.kind === 'summary' || delta.kind === 'reasoning'
      const place = JSON.stringify(byPart || !isReasoning ? [delta.key, delta.kind, delta.part] : '')
      runs.set(place, (runs.get(place) ?? '') + delta.text)
    } else if (delta.kind === 'call') {
      runs.set(delta.key, (runs.get(delta.key) ?? '') + delta.arguments)
      if (delta.name !== null) rest.push([delta.callId, delta.name])
    } else if (delta.kind === 'opaque' || delta.kind === 'finish') rest.push(delta)
    else if (delta.kind === 'error') rest.push(delta.error.code, delta.error.message)
    else if (delta.kind === 'citation') rest.push({ ...delta.citation, title: delta.citation.title || null })
  }
  return { runs: new Map([...runs].filter(([, text]) => text !== '')), rest }
}

const spelled = (content: ReturnType<typeof contentOf> | undefined): string =>
  JSON.stringify([...(content?.runs ?? []), content?.rest])

describe.each(READABLE)('law 10, a dialect reads its own output: %s', (_, dialect) => {
  const written = (events: readonly Event[]): string => run(write(dialect), events).join('')
  const readAgain = (text: string): readonly Event[] => run(read(dialect), framesOf(text))

  it('writes the same frames again after reading them', () => {
    check(
      fc.property(deltas, (list) => {
        const text = written(toEvents(dialect, list))
        expectSameFrames(written(readAgain(text)), text)
      }),
      2000,
    )
  })

  it('keeps all content of the deltas', () => {
    check(
      fc.property(deltas, (list) => {
        const events = toEvents(dialect, list)
        const again = run(eventsToDeltas, readAgain(written(events)))
        const byPart = dialect.name !== 'beta'
        const [received, sent] = [again, run(eventsToDeltas, events)].map((all) => contentOf(all, byPart))
        if (spelled(received) !== spelled(sent)) expect(received).toEqual(sent)
      }),
      2000,
    )
  })

  it.each(ALL_FIXTURES)('rewrites the fixture $wire.name $name without a change', ({ wire, name, stream, quirks }) => {
    const text = translated(optionsOf(dialect, quirks, name, wire), [stream])
    expectSameFrames(written(readAgain(text)), text)
  })

  it.runIf(RECORDED_STREAMS.length > 0).each(RECORDED_STREAMS)(
    'rewrites the recording $file without a change',
    ({ file, wire, quirks }) => {
      const text = translated(optionsOf(dialect, quirks, 'x', wire), [readRecorded(file)])
      expectSameFrames(written(readAgain(text)), text)
    },
  )

  it('reads any frames without throwing, and writes what it reads', () => {
    const names = fc.constantFrom(...framesOf(written(toEvents(dialect, []))).map(({ data }) => data), '', '[]', 'null')
    const types = fc.constantFrom(...Object.values(dialect.events).flatMap((rows) => rows.map(([name]) => name)))
    const value = jsonOf(
      ['item', 'part', 'delta', 'response', 'output_index', 'type', 'content', 'annotation', 'arguments', 'id'],
      ['message', 'function_call', 'reasoning', 'web_search_call', 'output_text', '__proto__'],
    )
    const frame = fc.tuple(types, value).map(([type, it]): Frame => {
      const fields = typeof it === 'object' && it !== null && !Array.isArray(it) ? it : {}
      return { event: '', data: JSON.stringify({ ...fields, type }) }
    })
    const frames = fc.array(
      fc.oneof(
        { weight: 9, arbitrary: frame },
        names.map((data) => ({ event: '', data })),
      ),
    )
    check(
      fc.property(frames, (list) => {
        const events = run(read(dialect), list)
        run(write(dialect), events)
        run(eventsToDeltas, events)
      }),
      1500,
    )
  })
})

describe('reading of other spellings', () => {
  const dialect = openaiReasoningText
  const texts = deltas.map((list) => run(write(dialect), toEvents(dialect, list)).join(''))
  const readText = (text: string): readonly Event[] => run(read(dialect), framesOf(text))

  it('accepts the reasoning events of Open Responses and the text events of the beta dialect', () => {
    const other = (text: string): string =>
      text
        .replaceAll('"response.reasoning_text.', '"response.reasoning.')
        .replaceAll('"response.output_text.delta"', '"response.content_part.delta"')
    check(
      fc.property(texts, (text) => {
        expectEqual(readText(other(text)), readText(text))
      }),
    )
  })

  it('accepts frames without sequence numbers, item ids, annotation indices and empty logprobs', () => {
    const thin = (text: string): string =>
      framesOf(text)
        .map(({ data }) => {
          if (data === '[DONE]') return `data: ${data}\n\n`
          const { sequence_number: _, item_id: __, annotation_index: ___, ...rest } = JSON.parse(data) as JsonObject
          if (Array.isArray(rest.logprobs) && rest.logprobs.length === 0)
            delete (rest as { logprobs?: unknown }).logprobs
          return `data: ${JSON.stringify(rest)}\n\n`
        })
        .join('')
    check(
      fc.property(texts, (text) => {
        expectEqual(readText(thin(text)), readText(text))
      }),
    )
  })

  it('completes a sparse response from the events before it', () => {
    const frames = [
      { type: 'response.created', response: { id: 'resp_1', object: 'response', status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm', content: [] } },
      { type: 'response.content_part.delta', output_index: 0, content_index: 0, delta: 'Hi' },
      { type: 'response.reasoning.delta', delta: 'nobody thinks' },
      { type: 'response.done', response: { id: 'resp_1', status: 'incomplete', usage: { input_tokens: 3 } } },
    ].map((data): Frame => ({ event: '', data: JSON.stringify(data) }))
    const events = run(read(DIALECTS.beta), frames)
    expect(events.map(({ type }) => type)).toEqual(['created', 'output_item.added', 'output_text.delta', 'incomplete'])
    expect(events.at(-1)).toMatchObject({
      response: {
        id: 'resp_1',
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        usage: { input_tokens: 3, output_tokens: null },
      },
    })
  })

  it('emits the arguments of a call that only its finished item contains', () => {
    const item = {
      type: 'function_call',
      id: 'fc',
      call_id: 'c',
      name: 'get',
      arguments: '{"a":1}',
      status: 'completed',
    }
    const frames = [{ type: 'response.output_item.done', output_index: 0, item }].map(
      (data): Frame => ({ event: '', data: JSON.stringify(data) }),
    )
    const events = run(read(DIALECTS.openai), frames)
    expect(events.map(({ type }) => type)).toEqual([
      'output_item.added',
      'function_call_arguments.delta',
      'output_item.done',
    ])
    expect(events[1]).toMatchObject({ item_id: 'fc', delta: '{"a":1}' })
  })
})
