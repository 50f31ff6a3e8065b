import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { openAnswerBody } from '../../src/engine/passthrough/answers.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { isObject, parseJson, toArray } from '../../src/text/json.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { damage, damages } from '../arbitraries/corrupt-bytes.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import {
  answersOf,
  framesOf,
  joined,
  optionsFor,
  PASSING,
  pass,
  redact,
  SECRET,
  spelled,
  text,
} from '../engine/passing.ts'
import { ALL_FIXTURES, toBytes } from '../engine/run-engine.ts'
import { endsOf } from '../engine/stream-ends.ts'
import { writeFrame } from '../framing/write-frame.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { check, expectEqual, expectSame } from '../property.ts'

/** Invariant 12: bytes sent = bytes received + declared edits; a failure repeats what its client has. */

const ending = fc.constantFrom('end' as const, 'fail' as const)

/** The text up to the last blank line: what follows it is no whole frame. */
const wholeFrames = (sent: string, end: string): string => sent.slice(0, sent.lastIndexOf(end) + end.length)

describe.each(PASSING.map((wire) => [wire.name, wire] as const))('a passed stream of %s', (name, wire) => {
  // The elements of a list become events.
  const recorded = ALL_FIXTURES.filter(
    (one) => one.wire.name === name && wire.framing.boundary.begins(one.stream) !== false,
  )
  const end = wire.framing.format === 'ndjson' ? '\n' : '\n\n'

  it('is the bytes of a recorded answer where no edit is named, and begins with them if it breaks', () => {
    check(
      fc.property(fc.constantFrom(...recorded), fc.nat(), cuts, ending, fc.boolean(), (one, size, at, how, fast) => {
        const options = { ...optionsFor(wire, { usage: true }), quirks: one.quirks }
        const bytes = how === 'fail' ? one.stream.subarray(0, size % (one.stream.length + 1)) : one.stream
        const { output, stream } = pass(options, wire, cutBytes(bytes, at), how, fast ? undefined : null)
        const { edits, error } = stream.outcome()
        if (edits?.length !== 0) return
        const frames = wholeFrames(text(bytes), end)
        const sent = text(output)
        // The end of a complete answer is sent when the machines confirm it.
        const last = error === null ? 0 : Math.max(frames.slice(0, -1).lastIndexOf(end) + end.length, 0)
        if (error === null) expect(sent.startsWith(frames)).toBe(true)
        else expect(sent.startsWith(frames) || sent.startsWith(frames.slice(0, last))).toBe(true)
      }),
    )
  })

  it('has the same frames, edits, outcome and counts in any reads and slices, on both paths, whatever arrives', () => {
    const { stream, quirks } = ANSWERS[name]
    const damaged = fc.tuple(stream, damages).map(([bytes, strokes]) => damage(wire.framing, bytes, strokes))
    const limits = fc.constantFrom(undefined, { upstreamEvent: 200 }, { upstreamTotal: 300 }, { answerItems: 1 })
    check(
      fc.property(
        quirks,
        fc.oneof(
          stream,
          damaged,
          fc.constantFrom(...recorded).map((one) => one.stream),
        ),
        limits,
        cuts,
        ending,
        (its, bytes, most, at, how) => {
          const options = { ...optionsFor(wire), quirks: its, limits: { ...LIMITS, ...most } }
          const seen = (pieces: readonly Uint8Array[], opener?: null, slice?: number) => {
            const sliced = slice === undefined ? options : { ...options, slice }
            const { output, stream } = pass(sliced, wire, pieces, how, opener)
            const { status, error, usage, edits, chunks } = stream.outcome()
            return { frames: spelled(framesOf(wire, output)), status, error, usage, edits, received: chunks.received }
          }
          const wanted = seen([bytes], null)
          const pieces = cutBytes(bytes, at)
          for (const found of [seen([bytes]), seen(pieces), seen(pieces, null), seen(pieces, undefined, 3)])
            if (JSON.stringify(found) !== JSON.stringify(wanted)) expect(found).toEqual(wanted)
        },
      ),
      300,
    )
  })

  it('hides a secret in a member beside the text, wherever the stream is read', () => {
    const words = Array.from({ length: 40 }, (_, i) => ` word ${i}`)
    const frames = framesOf(wire, WIRE_UPSTREAMS[name].encodeTurn({ text: words, calls: [] }) as Uint8Array)
    const noted = frames.map(({ event, data }, i) => {
      const value = parseJson(data)
      return { event, data: isObject(value) ? JSON.stringify({ x_note: `note ${i}`, ...value }) : data }
    })
    check(
      fc.property(fc.integer({ min: 20, max: frames.length - 5 }), cuts, (at, reads) => {
        const sent = noted.map((frame, i) =>
          i === at ? { ...frame, data: frame.data.replace(/note \d+/, SECRET) } : frame,
        )
        const bytes = joined(sent.map((frame) => writeFrame(frame, wire.framing.format)))
        const { output, stream } = pass({ ...optionsFor(wire), redact }, wire, cutBytes(bytes, reads), 'end')
        expect(text(output)).not.toContain(SECRET)
        expect(stream.outcome().error).toBeNull()
      }),
      50,
    )
  })
})

it.each(PASSING.map((wire) => [wire.name, wire] as const))('a whole body of %s is parsed once', (name, wire) => {
  const body = readFileSync(`fixtures/${name}/hello.body.json`, 'utf8')
  const parse = vi.spyOn(JSON, 'parse')
  const answer = openAnswerBody(optionsFor(wire), answersOf(wire))
  answer.push({ body })
  expect(answer.text()).toBe(body)
  expect(answer.outcome()).toMatchObject({ error: null, edits: [] })
  expect(parse).toHaveBeenCalledTimes(1)
  parse.mockRestore()
})

it('joined data of an event `error` has no secret', () => {
  const wire = WIRES['openai-chat']
  const lines = `event: error\ndata: {"a":1}\ndata: {"error":{"message":"Bad ${SECRET}"}}\n\n`
  const { output } = pass({ ...optionsFor(wire), redact }, wire, [toBytes(lines)], 'end')
  expect(text(output)).not.toContain(SECRET)
  expect(endsOf(wire.name, framesOf(wire, output))).toEqual(['failed'])
})

it('a heartbeat before the beginning of a message does not decide how the stream is read', () => {
  const wire = WIRES['anthropic-messages']
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n'
  const turn = text(WIRE_UPSTREAMS['anthropic-messages'].encodeTurn({ text: ['A'], calls: [] }) as Uint8Array)
  const { output } = pass(optionsFor(wire), wire, [toBytes(ping + turn)], 'end')
  expect(text(output)).toBe(ping + turn)
  const rest = turn.slice(turn.indexOf('event: content_block_start'))
  const translated = framesOf(wire, pass(optionsFor(wire), wire, [toBytes(ping + rest)], 'end').output)
  expect(translated[0]?.event).toBe('message_start')
})

it('lines that end with a carriage return alone are passed when they arrive', () => {
  const wire = WIRES['openai-chat']
  const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\r\r`
  const { stream } = pass(optionsFor(wire), wire, [], 'end')
  expect(stream.progress.over()).toBe(true)
  const { output } = pass(optionsFor(wire), wire, [toBytes(`: note\r\r${chunk('A')}${chunk('B')}x`)], 'fail')
  expect(text(output)).toMatch(/^: note\n\ndata: .*"A".*\n\ndata: .*"B".*\n\ndata: .*broke/)
})

// ---------------------------------------------------------------- what a failure repeats

const PART = {
  message: {
    list: 'content',
    type: 'output_text',
    events: ['response.content_part.added', 'response.output_text.delta'],
  },
  reasoning: {
    list: 'summary',
    type: 'summary_text',
    events: ['response.reasoning_summary_part.added', 'response.reasoning_summary_text.delta'],
  },
} as const

type Kind = 'message' | 'reasoning' | 'function_call'

interface Step {
  readonly item: number
  readonly act: 'piece' | 'end'
  readonly word: string
}

const steps = fc.array(
  fc.record({
    item: fc.nat({ max: 3 }),
    act: fc.constantFrom('piece' as const, 'piece' as const, 'piece' as const, 'end' as const),
    word: fc.constantFrom('a ', 'b ', 'é', '🙂', 'w1 '),
  }) satisfies fc.Arbitrary<Step>,
  { maxLength: 16 },
)
const kinds = fc.array(fc.constantFrom<Kind>('message', 'reasoning', 'function_call'), { minLength: 1, maxLength: 4 })

/** The events of items that overlap, in a stream that does not end. `indexed`: texts name their index. */
function overlapping(types: readonly Kind[], acts: readonly Step[], indexed: boolean): readonly object[] {
  const texts = types.map(() => '')
  const open = new Set<number>()
  const ended = new Set<number>()
  const events: object[] = [{ type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } }]
  const begin = (at: number, type: Kind): void => {
    if (open.has(at)) return
    open.add(at)
    const call = type === 'function_call' ? { call_id: `c${at}`, name: 'f', arguments: '' } : {}
    const item = { type, id: `i${at}`, ...call, ...(type === 'function_call' ? {} : { [PART[type].list]: [] }) }
    events.push({ type: 'response.output_item.added', output_index: at, item })
    if (type === 'function_call') return
    const place = { item_id: `i${at}`, output_index: at, [`${PART[type].list}_index`]: 0 }
    events.push({ type: PART[type].events[0], ...place, part: { type: PART[type].type, text: '' } })
  }
  for (const { item, act, word } of acts) {
    const at = item % types.length
    const type = types[at] as Kind
    if (ended.has(at)) continue
    begin(at, type)
    if (act === 'end') {
      ended.add(at)
      const part = type === 'function_call' ? null : { type: PART[type].type, text: texts[at] }
      const call = { call_id: `c${at}`, name: 'f', arguments: texts[at] }
      const whole = type === 'function_call' ? call : { [PART[type].list]: [part] }
      events.push({ type: 'response.output_item.done', output_index: at, item: { type, id: `i${at}`, ...whole } })
      continue
    }
    const piece = type === 'function_call' && texts[at] === '' ? '{"a":"' : word
    texts[at] += piece
    const place = { item_id: `i${at}`, ...(indexed || type === 'function_call' ? { output_index: at } : {}) }
    const name = type === 'function_call' ? 'response.function_call_arguments.delta' : PART[type].events[1]
    const inner = type === 'function_call' ? {} : { [`${PART[type].list}_index`]: 0 }
    events.push({ type: name, ...place, ...inner, delta: piece })
  }
  return events
}

const textIn = (item: Record<string, unknown>): string =>
  typeof item.arguments === 'string'
    ? item.arguments
    : [...toArray(item.content), ...toArray(item.summary)].map((part) => (isObject(part) ? part.text : '')).join('')

it('the failure of a Responses stream that breaks repeats the texts that its client has, also of items that overlap', () => {
  const wire = WIRES['openai-responses']
  check(
    fc.property(kinds, steps, fc.boolean(), fc.boolean(), (types, acts, indexed, fast) => {
      const sent = overlapping(types, acts, indexed).map((event) =>
        writeFrame({ event: '', data: JSON.stringify(event) }, 'sse'),
      )
      const { output } = pass(optionsFor(wire), wire, sent, 'fail', fast ? undefined : null)
      const events = framesOf(wire, output).flatMap(({ data }) => {
        const value = parseJson(data)
        return isObject(value) ? [value] : []
      })
      const received = new Map<string, string>()
      for (const { type, item, item_id, delta } of events) {
        if (type === 'response.output_item.added' && isObject(item)) received.set(String(item.id), '')
        if (typeof delta === 'string') received.set(String(item_id), (received.get(String(item_id)) ?? '') + delta)
      }
      const { response } = events.at(-1) ?? {}
      const found = isObject(response) ? toArray(response.output).filter(isObject) : []
      expectEqual(
        Object.fromEntries(found.map((item) => [String(item.id), textIn(item)])),
        Object.fromEntries(received),
      )
      const opened = events.filter(({ type }) => type === 'response.output_item.added').length
      const closed = events.filter(({ type }) => type === 'response.output_item.done').length
      expectSame(closed, opened)
    }),
    2000,
  )
})

// ---------------------------------------------------------------- numbers

const START = '{"type":"message_start","message":{"id":"a","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}'

it.each<[name: keyof typeof WIRES, event: (number: string, edit: boolean) => string]>([
  [
    'ollama-chat',
    (number, edit) =>
      `{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"id":${number}}}}]},"done":true${edit ? ',"error":null' : ''}}\n`,
  ],
  [
    'ollama-chat',
    (number, edit) =>
      `{"message":{"tool_calls":[{"function":{"name":"f","arguments":${edit ? JSON.stringify(`{"id":${number}}`) : `{"id":${number}}`}}}]},"done":true}\n`,
  ],
  [
    'anthropic-messages',
    (number, edit) =>
      `event: message_start\ndata: ${START}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":${edit ? 3 : 0},"content_block":{"type":"tool_use","id":"t","name":"f","input":{"id":${number}}}}\n\n`,
  ],
  [
    'gemini-generate',
    (number, edit) =>
      `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"id":${number}}}},{"functionCall":{"name":"f","args":${edit ? '"{}"' : '{}'}}}]}}]}\n\n`,
  ],
  [
    'openai-chat',
    (number, edit) =>
      `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"A"}}],"x":${number}${edit ? ',"error":5' : ''}}\n\n`,
  ],
  [
    'openai-chat',
    (number, edit) =>
      `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"A"}}],"x":${number}${edit ? ',' : ''}}\n\n`,
  ],
  [
    'openai-chat',
    (number, edit) => {
      const chunk = `{"choices":[{"index":0,"delta":{"role":"assistant","content":"A"}}],"x":${number}}`
      return `data: ${edit ? `[${chunk}]` : chunk}\n\n`
    },
  ],
])('a number of %s keeps its digits, or an edit of its event is a loss', (name, event) => {
  const wire = WIRES[name]
  const number = fc.constantFrom('12345678901234567890', '-9007199254740993', '1e400', '9007199254740991', '0.5')
  check(
    fc.property(number, fc.boolean(), cuts, (digits, edit, at) => {
      const bytes = toBytes(event(digits, edit))
      const { output, stream } = pass(optionsFor(wire), wire, cutBytes(bytes, at), 'fail')
      const { losses, edits } = stream.outcome()
      expect(edits?.length).toBe(edit ? 1 : 0)
      expect(losses).toEqual(edit && digits.length > 4 && digits !== '9007199254740991' ? ['a number beyond 2^53'] : [])
      if (losses.length === 0) expect(text(output)).toContain(digits)
    }),
    30,
  )
})

it('a number of a whole body keeps its digits, or an edit of the body is a loss', () => {
  const wire = WIRES['openai-chat']
  const choices = '[{"index":0,"message":{"role":"assistant","content":"A"},"finish_reason":"stop"}]'
  const read = (members: string) => {
    const answer = openAnswerBody(optionsFor(wire), answersOf(wire))
    answer.push({ body: `{"id":"c","choices":${choices},"x":12345678901234567890${members}}` })
    return { text: answer.text(), losses: answer.outcome().losses }
  }
  expect(read('')).toMatchObject({ text: expect.stringContaining('12345678901234567890'), losses: [] })
  expect(read(',"usage":{"input_tokens":1}').losses).toEqual(['a number beyond 2^53'])
})
