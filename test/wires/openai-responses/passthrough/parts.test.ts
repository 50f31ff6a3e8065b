import { readdirSync, readFileSync } from 'node:fs'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { isObject, toArray } from '../../../../src/text/json.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { optionsFor, pass, text } from '../../../engine/passing.ts'
import { writeFrame } from '../../../framing/write-frame.ts'

/** The beginnings of parts and items, without which OpenAI's libraries fail, in responses that are passed on. */

const WIRE = WIRES['openai-responses']

const RESPONSE = { id: 'r', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] }
const MESSAGE = { id: 'msg', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
const REASONING = { id: 'rs', type: 'reasoning', status: 'in_progress', summary: [], content: [] }
const PART = { type: 'output_text', text: 'Hello', annotations: [] }
const WHOLE = { ...MESSAGE, status: 'completed', content: [PART] }
const THOUGHT = { ...REASONING, status: 'completed', content: [{ type: 'reasoning_text', text: 'Hm' }] }
const CREATED = { type: 'response.created', response: RESPONSE }
const ENDED = { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [THOUGHT, WHOLE] } }

const bytesOf = (events: readonly JsonObject[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      events.map((event, at) =>
        writeFrame({ event: String(event.type), data: JSON.stringify({ ...event, sequence_number: at }) }, 'sse'),
      ),
    ),
  )

async function readBy(sent: string) {
  const fetch = async () => new Response(sent, { headers: { 'content-type': 'text/event-stream' } })
  const client = new OpenAI({ apiKey: 'x', maxRetries: 0, fetch })
  return await client.responses.stream({ model: 'm', input: 'x' }).finalResponse()
}

const passed = (bytes: Uint8Array, ending: 'end' | 'fail' = 'end') => {
  const { output, stream } = pass(optionsFor(WIRE), WIRE, [bytes], ending)
  return { sent: text(output), outcome: stream.outcome() }
}

const at = (output_index: number, item_id: string) => ({ output_index, content_index: 0, item_id })

it.each<[what: string, reasoning: readonly JsonObject[], message: readonly JsonObject[]]>([
  [
    'of parts',
    [
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: 'response.reasoning_text.delta', ...at(0, 'rs'), delta: 'Hm' },
    ],
    [
      { type: 'response.output_item.added', output_index: 1, item: MESSAGE },
      { type: 'response.output_text.delta', ...at(1, 'msg'), delta: 'Hel' },
      { type: 'response.output_text.delta', ...at(1, 'msg'), delta: 'lo' },
      { type: 'response.output_text.done', ...at(1, 'msg'), text: 'Hello' },
    ],
  ],
  [
    'of parts, and all indices (llama.cpp)',
    [
      { type: 'response.output_item.added', item: REASONING },
      { type: 'response.reasoning_text.delta', item_id: 'rs', delta: 'Hm' },
    ],
    [
      { type: 'response.output_item.added', item: { ...MESSAGE, content: null } },
      { type: 'response.content_part.added', item_id: 'msg', part: { type: 'output_text', text: '' } },
      { type: 'response.output_text.delta', item_id: 'msg', delta: 'Hello' },
    ],
  ],
  [
    'of items, and the pieces',
    [{ type: 'response.reasoning_text.done', ...at(0, 'rs'), text: 'Hm' }],
    [{ type: 'response.output_text.done', ...at(1, 'msg'), text: 'Hello' }],
  ],
  [
    'under the usual name (vLLM)',
    [
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: 'response.reasoning_part.added', ...at(0, 'rs'), part: { type: 'reasoning_text', text: '' } },
      { type: 'response.reasoning_text.delta', ...at(0, 'rs'), delta: 'Hm' },
      { type: 'response.reasoning_part.done', ...at(0, 'rs'), part: { type: 'reasoning_text', text: 'Hm' } },
    ],
    [{ type: 'response.output_item.added', output_index: 1, item: MESSAGE }],
  ],
])('a response without the beginnings %s reaches the client', async (_, reasoning, message) => {
  const done = [THOUGHT, WHOLE].map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }))
  const { sent, outcome } = passed(
    bytesOf([CREATED, ...reasoning, done[0] as JsonObject, ...message, done[1] as JsonObject, ENDED]),
  )
  expect(outcome).toMatchObject({ status: 'completed', edits: expect.arrayContaining(['form of events']) })
  expect(sent.match(/"type":"response.content_part.added"/g)?.length ?? 0).toBeLessThanOrEqual(2)
  expect(await readBy(sent)).toMatchObject({
    output_text: 'Hello',
    output: [{ content: [{ text: 'Hm' }] }, { id: 'msg', content: [{ text: 'Hello' }] }],
  })
})

// ---------------------------------------------------------------- what servers leave out or number otherwise

type Events = readonly JsonObject[]

const isStart = ({ type }: JsonObject) => /part\.added$/.test(String(type))
const isItemStart = ({ type, item }: JsonObject) =>
  type === 'response.output_item.added' && /"type":"(message|reasoning)"/.test(JSON.stringify(item))
const without =
  (...names: readonly string[]) =>
  (event: JsonObject): JsonObject =>
    /text|part|refusal|arguments|input/.test(String(event.type))
      ? Object.fromEntries(Object.entries(event).filter(([name]) => !names.includes(name)))
      : event
const further = (event: JsonObject): JsonObject =>
  typeof event.content_index === 'number' ? { ...event, content_index: event.content_index + 1 } : event

const isEnd = ({ type, item }: JsonObject) =>
  /(text|part|refusal)\.done$/.test(String(type)) ||
  (type === 'response.output_item.done' && /"type":"(message|reasoning)"/.test(JSON.stringify(item)))
const later = (event: JsonObject): JsonObject => ({ ...event, output_index: Number(event.output_index) + 1 })

let ids = 0
/** Another id, as proxies give each event its own. */
const renamed = (object: object): JsonObject => {
  ids += 1
  return { ...object, id: `other${ids}` }
}
const inItem = (type: string, edit: (item: JsonObject) => JsonObject | null) => (event: JsonObject) =>
  event.type === type ? { ...event, item: edit(event.item as JsonObject) } : event
const withoutMembers =
  (...names: readonly string[]) =>
  (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
const inOutput = (edit: (item: JsonObject) => JsonObject) => (event: JsonObject) => {
  const { response } = event
  if (!isObject(response) || event.type === 'response.created') return event
  return {
    ...event,
    response: { ...response, output: toArray(response.output).map((item) => edit(item as JsonObject)) },
  }
}
const DONE = 'response.output_item.done'
const hasText = ({ type }: JsonObject) => /^(message|reasoning)$/.test(String(type))

const SERVERS: readonly (readonly [what: string, server: (events: Events) => Events])[] = [
  ['no beginnings of parts', (events) => events.filter((event) => !isStart(event))],
  ['no beginnings of items', (events) => events.filter((event) => !isItemStart(event))],
  ['neither', (events) => events.filter((event) => !isStart(event) && !isItemStart(event))],
  ['only the ends of items', (events) => events.filter((event) => !('item_id' in event) && !isItemStart(event))],
  ['no indices of parts', (events) => events.map(without('content_index', 'summary_index'))],
  ['no indices of items', (events) => events.map(without('output_index'))],
  [
    'indices in pieces alone, which have no ids',
    (events) =>
      events.map(without('item_id')).map((one) => ('item' in one ? withoutMembers('output_index')(one) : one)),
  ],
  ['no ids in pieces', (events) => events.map(without('item_id'))],
  ['a count of parts from 1 (Bedrock)', (events) => events.map(further)],
  ['the next count behind a beginning (vLLM)', (events) => events.map((one) => (isStart(one) ? one : further(one)))],
  [
    'other ids in the events of an item (LiteLLM)',
    (events) => events.map((one) => ('item_id' in one ? { ...one, item_id: renamed({}).id as string } : one)),
  ],
  [
    'the id of a call in its pieces (LiteLLM)',
    (events) => {
      const items = events.flatMap(({ item }) => (isObject(item) ? [item as JsonObject] : []))
      const callOf = new Map(
        items.flatMap(({ id, call_id }) => (call_id === undefined ? [] : [[id, call_id] as const])),
      )
      return events.map((one) => ('item_id' in one ? { ...one, item_id: callOf.get(one.item_id) ?? one.item_id } : one))
    },
  ],
  ['other ids in the ends of items', (events) => events.map(inItem(DONE, renamed))],
  ['no ids in the ends of items', (events) => events.map(inItem(DONE, withoutMembers('id')))],
  ['other ids in the last list', (events) => events.map(inOutput(renamed))],
  ['no ids in the last list', (events) => events.map(inOutput(withoutMembers('id')))],
  [
    'other ids of the response',
    (events) =>
      events.map((one) =>
        isObject(one.response) && one.type !== 'response.created' ? { ...one, response: renamed(one.response) } : one,
      ),
  ],
  [
    'no ids of the response but the first',
    (events) =>
      events.map((one) =>
        isObject(one.response) && one.type !== 'response.created'
          ? { ...one, response: withoutMembers('id')(one.response as JsonObject) }
          : one,
      ),
  ],
  [
    'an empty text beside the last list (OpenRouter)',
    (events) =>
      events.map((one) =>
        one.type === 'response.completed'
          ? { ...one, response: { ...(one.response as object), output_text: '' } }
          : one,
      ),
  ],
  ['no items in their ends', (events) => events.map(inItem(DONE, (item) => (hasText(item) ? null : item)))],
  [
    'no parts in the ends of items and in the last list',
    (events) => {
      const hasPieces = events.some(({ type }) => /text\.delta$/.test(String(type)))
      const bare = (item: JsonObject) =>
        hasPieces && hasText(item) ? withoutMembers(item.type === 'message' ? 'content' : 'summary')(item) : item
      return events.map(inItem(DONE, bare)).map(inOutput(bare))
    },
  ],
  [
    'empty lists in the ends of items and in the last list',
    (events) => {
      const hasPieces = events.some(({ type }) => /text\.delta$/.test(String(type)))
      const emptied = (item: JsonObject) =>
        hasPieces && hasText(item) ? { ...item, [item.type === 'message' ? 'content' : 'summary']: [] } : item
      return events.map(inItem(DONE, emptied)).map(inOutput(emptied))
    },
  ],
  [
    'no texts in its parts (Go)',
    (events) =>
      events.map((event) =>
        isObject(event.part) ? { ...event, part: withoutMembers('text', 'refusal')(event.part as JsonObject) } : event,
      ),
  ],
  ['the next index in the ends of an item (vLLM)', (events) => events.map((one) => (isEnd(one) ? later(one) : one))],
  [
    'each beginning twice',
    (events) => events.flatMap((one) => (isStart(one) || isItemStart(one) ? [one, one] : [one])),
  ],
  [
    'an empty piece in place of the beginning of a part',
    (events) =>
      events
        .filter((event) => !isStart(event))
        .flatMap((one) => (/text\.delta$/.test(String(one.type)) ? [{ ...one, delta: '' }, one] : [one])),
  ],
]

const STREAMS = readdirSync('fixtures/openai-responses').filter((name) => name.endsWith('.stream.sse'))

const eventsIn = (stream: string): Events =>
  stream.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length))] : []))

it.each(SERVERS)('a server with %s is read as any other', async (_, server) => {
  for (const name of STREAMS) {
    const events = eventsIn(readFileSync(`fixtures/openai-responses/${name}`, 'utf8'))
    const [usual, changed] = [events, server(events)].map((all) => passed(bytesOf(all)))
    // Envelopes have the upstream's own ids.
    const read = async (sent = '') =>
      await readBy(sent.replace(/"encrypted_content":"[^"]*"/g, '"encrypted_content":"x"')).catch(String)
    expect(await read(changed?.sent), name).toEqual(await read(usual?.sent))
    expect(changed?.outcome.status).toBe(usual?.outcome.status)
  }
})

it.each<[what: string, item_id: string, end: JsonObject]>([
  ['other ids', 'other', { id: 'later' }],
  ['no ids', '', { id: undefined as never }],
])('%s: a stream that breaks ends under the ids that its client has seen', async (_, item_id, end) => {
  const { sent } = passed(
    bytesOf([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: DONE, output_index: 0, item: { ...THOUGHT, ...end } },
      { type: 'response.output_item.added', output_index: 1, item: MESSAGE },
      { type: 'response.output_text.delta', ...at(1, item_id), delta: 'Hel' },
    ]),
    'fail',
  )
  const all = eventsIn(sent)
  expect(new Set(all.flatMap(({ item_id: id }) => id ?? []))).toEqual(new Set(['msg']))
  expect(all.at(-1)).toMatchObject({ response: { id: 'r', output: [{ id: 'rs' }, { id: 'msg' }] } })
  await expect(readBy(sent)).rejects.toThrow(/connection broke/i)
})

/** The reasoning that clients receive, and what goes back to the upstream, in the last two events with an item of it. */
function sealedIn(sent: string): { readonly items: readonly JsonObject[]; readonly payloads: readonly JsonObject[] } {
  const items = eventsIn(sent).flatMap(({ item, response }) =>
    isObject(item) ? [item] : toArray((response as JsonObject | undefined)?.output),
  ) as JsonObject[]
  const payloads = items.slice(-2).map(({ encrypted_content }) => {
    const [, envelope = ''] = String(encrypted_content).split('.')
    return JSON.parse(Buffer.from(envelope, 'base64url').toString()).p
  })
  return { items, payloads }
}

const SUMMARY = [{ type: 'summary_text', text: 'So' }]
const endWith = (output: JsonObject[]) => ({
  type: 'response.completed',
  // Some servers write every member.
  item: null,
  response: { ...RESPONSE, status: 'completed', output },
})
const BARE = { id: 'rs', type: 'reasoning', encrypted_content: 'e' }

it.each<[what: string, done: JsonObject, listed: JsonObject[], back: readonly JsonObject[]]>([
  [
    'other ids',
    { ...BARE, id: 'rs2', summary: [] },
    [{ ...BARE, id: 'rs3', summary: [], encrypted_content: 'listed' }],
    [
      { id: 'rs2', encrypted_content: 'e', summary: [] },
      { id: 'rs3', encrypted_content: 'listed', summary: [] },
    ],
  ],
  ['an empty list', { ...BARE, summary: [] }, [], Array(2).fill({ ...BARE, summary: [] })],
  ['a list that has none', { ...BARE, summary: SUMMARY }, [BARE], Array(2).fill({ ...BARE, summary: SUMMARY })],
  [
    'a summary of null',
    { ...BARE, summary: null },
    [{ ...BARE, summary: null }],
    Array(2).fill({ ...BARE, summary: [] }),
  ],
  [
    'a list with other content',
    { ...BARE, summary: SUMMARY },
    [{ ...BARE, id: 'rs3', summary: [], encrypted_content: 'listed' }],
    [
      { ...BARE, summary: SUMMARY },
      { ...BARE, id: 'rs3', encrypted_content: 'listed', summary: [] },
    ],
  ],
  [
    'a list without the id that came last',
    { ...BARE, id: 'rs2', summary: [] },
    [{ type: 'reasoning', summary: [], encrypted_content: 'e' }],
    Array(2).fill({ ...BARE, id: 'rs2', summary: [] }),
  ],
  ['ids of null', { ...BARE, id: null, summary: [] }, [], Array(2).fill({ ...BARE, summary: [] })],
  ['no ids', { type: 'reasoning', summary: [], encrypted_content: 'e' }, [], Array(2).fill({ ...BARE, summary: [] })],
])('encrypted reasoning goes back with the id and the summary of the upstream: %s', (_, done, listed, back) => {
  const { sent } = passed(
    bytesOf([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, item_id: 'rs', summary_index: 0, delta: 'So' },
      { type: DONE, output_index: 0, item: done },
      endWith(listed),
    ]),
  )
  const { items, payloads } = sealedIn(sent)
  expect(items.map(({ id }) => id)).toEqual(['rs', 'rs', 'rs'])
  expect(items.slice(1).map(({ summary }) => summary)).toMatchObject([SUMMARY, SUMMARY])
  expect(payloads).toMatchObject(back.map(({ type, ...members }) => members))
})

it('encrypted reasoning of a usual response is sealed and not changed', () => {
  const item = { ...BARE, summary: [] }
  const { sent, outcome } = passed(
    bytesOf([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: DONE, output_index: 0, item },
      endWith([{ ...item, summary: [] }]),
    ]),
  )
  expect(outcome.edits).toEqual(['sealed reasoning'])
  expect(sealedIn(sent).payloads).toMatchObject(Array(2).fill({ id: 'rs', encrypted_content: 'e', summary: [] }))
})

it.each<[what: string, ids: readonly (string | undefined)[]]>([
  ['no ids', [undefined, undefined]],
  ['other ids', ['l1', 'l2']],
])('listed reasoning with %s is the item that has its encrypted content', (_, ids) => {
  const items = ['one', 'two'].map((word) => ({
    id: `rs_${word}`,
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: word }],
    encrypted_content: word,
  }))
  const listed = [...items].reverse().map(({ id: _, ...item }, i) => ({ ...item, ...(ids[i] ? { id: ids[i] } : {}) }))
  const { sent } = passed(
    bytesOf([
      CREATED,
      ...items.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item: { ...REASONING, id: item.id } },
        { type: DONE, output_index, item },
      ]),
      endWith(listed.slice(0, 1)),
      endWith(listed),
    ] as Events),
  )
  const { items: shown, payloads } = sealedIn(sent)
  expect(shown.slice(4).map(({ id }) => id)).toEqual(['rs_two'])
  expect(payloads.at(-1)).toMatchObject({
    id: ids[0] ?? 'rs_two',
    encrypted_content: 'two',
    summary: listed[0]?.summary,
  })
})

it('encrypted reasoning without ids goes back without one, also from a response that fails', () => {
  const { id: _, ...bare } = BARE
  const begun = { type: 'reasoning', summary: 'So', encrypted_content: 'b' }
  const { sent } = passed(
    bytesOf([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: begun },
      { type: DONE, output_index: 0, item: { ...bare, summary: SUMMARY } },
    ]),
    'fail',
  )
  expect(sealedIn(sent).payloads).toEqual(Array(2).fill({ encrypted_content: 'e', summary: SUMMARY }))
  const [first] = sealedIn(sent.slice(0, sent.indexOf(DONE))).payloads
  expect(first).toEqual({ encrypted_content: 'b', summary: 'So' })
})

it('encrypted reasoning goes back with its own summary from a response that fails', () => {
  const { sent } = passed(
    bytesOf([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, item_id: 'rs', summary_index: 0, delta: 'So' },
      { type: DONE, output_index: 0, item: { ...BARE, summary: [] } },
    ]),
    'fail',
  )
  const { items, payloads } = sealedIn(sent)
  expect(items.at(-1)?.summary).toMatchObject(SUMMARY)
  expect(payloads).toMatchObject(Array(2).fill({ id: 'rs', encrypted_content: 'e', summary: [] }))
})

it('pieces of one item have one id, also where the fast path allows other members', () => {
  const piece = (delta: string, item_id: string, members: JsonObject): JsonObject => ({
    type: 'response.output_text.delta',
    ...members,
    ...at(0, item_id),
    delta,
  })
  const members = (i: number): JsonObject =>
    i < 100 ? { pad: 'x' } : i < 200 ? { pad: i } : { pad: i, [`pad${i}`]: i }
  const pieces = Array.from({ length: 400 }, (_, i) => piece(`word ${i}`, i < 300 ? 'msg' : `other${i}`, members(i)))
  const added = [
    { type: 'response.output_item.added', output_index: 0, item: MESSAGE },
    { type: 'response.content_part.added', ...at(0, 'msg'), part: { ...PART, text: '' } },
  ]
  const { output } = pass(
    optionsFor(WIRE),
    WIRE,
    [CREATED, ...added, ...pieces].map((one) => bytesOf([one])),
    'end',
  )
  expect(text(output)).toContain('word 399')
  expect(text(output)).not.toContain('"other')
})

it.each<[what: string, events: Events]>([
  [
    'parts in the beginning of their item',
    [
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...MESSAGE, content: [{ ...PART, text: '' }] },
      },
      { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'Hello' },
    ],
  ],
  [
    'a transcript of sound',
    [
      { type: 'response.output_item.added', output_index: 0, item: MESSAGE },
      { type: 'response.audio.transcript.delta', delta: 'Hello' },
      { type: 'response.content_part.added', ...at(0, 'msg'), part: { ...PART, text: '' } },
      { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'Hello' },
    ],
  ],
  [
    'a part of an unknown type',
    [
      { type: 'response.output_item.added', output_index: 0, item: MESSAGE },
      { type: 'response.content_part.added', ...at(0, 'msg'), part: { type: 'output_scent', scent: '' } },
      {
        type: 'response.content_part.added',
        ...at(0, 'msg'),
        content_index: 1,
        part: { ...PART, text: '' },
      },
      { type: 'response.output_text.delta', ...at(0, 'msg'), content_index: 1, delta: 'Hello' },
      { type: 'response.content_part.done', ...at(0, 'msg'), content_index: 1, part: PART },
    ],
  ],
])('%s: the stream is passed as it came', async (_, events) => {
  const done = { type: 'response.output_item.done', output_index: 0, item: WHOLE }
  const ended = { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [WHOLE] } }
  const bytes = bytesOf([CREATED, ...events, done, ended])
  const { sent, outcome } = passed(bytes)
  expect(outcome.edits).toEqual([])
  expect(sent.startsWith(text(bytes))).toBe(true)
  expect(await readBy(sent)).toMatchObject({ output_text: 'Hello' })
})

it('parts of unknown types count in reasoning, too', () => {
  const bytes = bytesOf([
    CREATED,
    { type: 'response.output_item.added', output_index: 0, item: REASONING },
    { type: 'response.content_part.added', ...at(0, 'rs'), part: { type: 'reasoning_scent', scent: '' } },
    {
      type: 'response.content_part.added',
      ...at(0, 'rs'),
      content_index: 1,
      part: { type: 'reasoning_text', text: '' },
    },
    { type: 'response.reasoning_text.delta', ...at(0, 'rs'), content_index: 1, delta: 'Hm' },
    {
      type: 'response.reasoning_summary_part.added',
      item_id: 'rs',
      output_index: 0,
      summary_index: 0,
      part: { type: 'x' },
    },
    { type: 'response.reasoning_summary_text.delta', item_id: 'rs', output_index: 0, summary_index: 1, delta: 'Hm' },
    ENDED,
  ])
  const sent = eventsIn(passed(bytes).sent)
  expect(sent.map(({ content_index, summary_index }) => content_index ?? summary_index ?? -1)).toEqual([
    -1, -1, 0, 1, 1, 0, 1, 1, -1,
  ])
})

it('a text and a refusal without indices are two parts', async () => {
  const { sent } = passed(
    bytesOf([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: MESSAGE },
      { type: 'response.output_text.delta', item_id: 'msg', delta: 'Hello' },
      {
        type: 'response.output_text.annotation.added',
        item_id: 'msg',
        annotation_index: 0,
        annotation: { type: 'file_path' },
      },
      { type: 'response.refusal.delta', item_id: 'msg', delta: 'No' },
    ]),
    'fail',
  )
  expect(eventsIn(sent).at(-1)).toMatchObject({
    response: { output: [{ content: [{ text: 'Hello', annotations: [{ type: 'file_path' }] }, { refusal: 'No' }] }] },
  })
  await expect(readBy(sent)).rejects.toThrow(/connection broke/i)
})

it('more of a part that has ended is passed as it came', () => {
  const part = { type: 'output_text', text: '', annotations: [] }
  const bytes = bytesOf([
    CREATED,
    { type: 'response.output_item.added', output_index: 0, item: MESSAGE },
    { type: 'response.content_part.added', ...at(0, 'msg'), part },
    { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'Hel' },
    { type: 'response.content_part.done', ...at(0, 'msg'), part: { ...part, text: 'Hel' } },
    { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'lo' },
    { type: 'response.output_item.done', output_index: 0, item: WHOLE },
    { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [WHOLE] } },
  ])
  const { sent, outcome } = passed(bytes)
  expect(outcome.edits).toEqual([])
  expect(sent.startsWith(text(bytes))).toBe(true)
  const cut = passed(bytes.slice(0, text(bytes).indexOf('event: response.output_item.done')), 'fail')
  expect(cut.sent).not.toContain('response.output_text.done')
})

it('a part of reasoning is no text, whatever its type', () => {
  const part = { type: 'text', text: 'Hm' }
  const { outcome } = passed(
    bytesOf([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: 'response.reasoning_part.added', ...at(0, 'rs'), part: { ...part, text: '' } },
      { type: 'response.reasoning_text.delta', ...at(0, 'rs'), delta: 'Hm' },
      { type: 'response.reasoning_part.done', ...at(0, 'rs'), part },
      ENDED,
    ]),
  )
  expect(outcome.answer?.output.filter(({ type }) => type === 'message')).toHaveLength(1)
})

it('a text part of reasoning is reasoning, and the message behind it comes once (vLLM)', async () => {
  const part = { type: 'output_text', text: '', annotations: [], logprobs: null }
  const listed = [THOUGHT, WHOLE].map((item, i) => ({ ...item, id: `other${i}` }))
  const { sent, outcome } = passed(
    bytesOf([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: REASONING },
      { type: 'response.content_part.added', ...at(0, 'rs'), part },
      { type: 'response.reasoning_text.delta', ...at(0, 'rs'), delta: 'Hm' },
      { type: 'response.output_item.done', output_index: 1, item: THOUGHT },
      { type: 'response.output_item.added', output_index: 1, item: MESSAGE },
      { type: 'response.content_part.added', ...at(1, 'msg'), part },
      { type: 'response.output_text.delta', ...at(1, 'msg'), delta: 'Hello' },
      { type: 'response.output_item.done', output_index: 2, item: WHOLE },
      { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: listed } },
    ]),
  )
  const added = eventsIn(sent).filter(({ type }) => /added$/.test(String(type)))
  expect(added).toMatchObject([
    { item: { type: 'reasoning' } },
    { output_index: 0, content_index: 0, part: { type: 'reasoning_text' } },
    { item: { type: 'message' } },
    { output_index: 1, content_index: 0, part },
  ])
  expect(outcome.answer?.output).toMatchObject([{ type: 'reasoning' }, { content: [{ text: 'Hello' }] }])
  expect(outcome.answer?.output).toHaveLength(2)
  expect(await readBy(sent)).toMatchObject({ output_text: 'Hello' })
})

const CALL = { type: 'function_call', status: 'in_progress', call_id: 'c', name: 'f', arguments: '' }
const NOTE = { id: 'note', type: 'agent_note', content: [] }

it.each<[what: string, events: Events]>([
  [
    'parts of an item of an unknown type',
    [
      { type: 'response.output_item.added', output_index: 0, item: NOTE },
      { type: 'response.content_part.added', ...at(0, 'note'), part: { ...PART, text: '' } },
      { type: 'response.output_text.delta', ...at(0, 'note'), delta: 'Hello' },
      { type: 'response.content_part.done', ...at(0, 'note'), part: PART },
      { type: 'response.output_item.done', output_index: 0, item: { ...NOTE, content: [PART] } },
    ],
  ],
  [
    'more of an item that has ended',
    [
      { type: 'response.output_item.added', output_index: 0, item: MESSAGE },
      { type: 'response.output_item.done', output_index: 0, item: WHOLE },
      { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'Hello' },
    ],
  ],
  [
    'two calls under one id',
    [
      ...[0, 1].map((i) => ({ type: 'response.output_item.added', output_index: i, item: { ...CALL, id: `f${i}` } })),
      ...[0, 1].map((i) => ({
        type: 'response.output_item.done',
        output_index: i,
        item: { ...CALL, id: `f${i}`, status: 'completed', arguments: `{"n":${i}}` },
      })),
    ],
  ],
])('%s: the events stay as they came', (_, events) => {
  const ended = { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [WHOLE] } }
  const { outcome } = passed(bytesOf([CREATED, ...events, ended]))
  expect(outcome.edits).toEqual([])
})

it('a refusal under the index of a text is another part', async () => {
  const refusal = { type: 'refusal', refusal: 'No' }
  const whole = { ...WHOLE, content: [PART, refusal] }
  const { sent } = passed(
    bytesOf([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: MESSAGE },
      { type: 'response.content_part.added', ...at(0, 'msg'), part: { ...PART, text: '' } },
      { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'Hello' },
      { type: 'response.content_part.added', ...at(0, 'msg'), part: { ...refusal, refusal: '' } },
      { type: 'response.refusal.delta', ...at(0, 'msg'), delta: 'No' },
      { type: 'response.content_part.done', ...at(0, 'msg'), part: refusal },
      { type: 'response.output_item.done', output_index: 0, item: whole },
      { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [whole] } },
    ]),
  )
  expect(eventsIn(sent).flatMap(({ content_index: index }) => (typeof index === 'number' ? [index] : []))).toEqual([
    0, 0, 1, 1, 1,
  ])
  expect(await readBy(sent)).toMatchObject({ output: [{ content: [{ text: 'Hello' }, { refusal: 'No' }] }] })
})

it('the recorded response of a server without pieces reaches the client', async () => {
  const { sent } = passed(new Uint8Array(readFileSync('fixtures/openai-responses/no-pieces.stream.sse')))
  expect(await readBy(sent)).toMatchObject({ output_text: 'I will look it up.' })
})

it('a beginning that the gateway has added gets its end if the stream breaks', () => {
  const piece = { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'Hel' }
  const { sent, outcome } = passed(bytesOf([CREATED, piece]), 'fail')
  expect(outcome.status).toBe('failed')
  expect(sent.match(/(?<=event: ).*/g)).toEqual([
    'response.created',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'error',
    'response.failed',
  ])
})

it('an index alone names none of several calls that began without one', () => {
  const call = (id: string) => ({
    type: 'function_call',
    id,
    call_id: `c${id}`,
    name: id,
    arguments: '',
    status: 'in_progress',
  })
  const added = (id: string) => ({ type: 'response.output_item.added', item: call(id) })
  const piece = (output_index: number, delta: string) => ({
    type: 'response.function_call_arguments.delta',
    output_index,
    delta,
  })
  const done = (id: string, args: string) => ({
    type: DONE,
    item: { ...call(id), arguments: args, status: 'completed' },
  })
  const { sent, outcome } = passed(
    bytesOf([
      CREATED,
      ...[added('f'), added('g'), piece(0, '{"a":1}'), piece(1, '{"b":2}')],
      ...[done('f', '{"a":1}'), done('g', '{"b":2}')],
      { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [] } },
    ]),
  )
  const calls = (outcome.answer?.output ?? []).filter(({ type }) => type === 'function_call') as unknown as JsonObject[]
  expect(calls.find(({ name }) => name === 'g')).toMatchObject({ arguments: '{"b":2}' })
  const last = toArray((eventsIn(sent).at(-1)?.response as JsonObject | undefined)?.output) as readonly JsonObject[]
  expect(last.map(({ name }) => name)).toEqual(['f', 'g'])
})

it.each<
  [what: string, ids: readonly [begun: string, ended: string][], listed: readonly string[], ids: readonly string[]]
>([
  [
    'began and ended',
    [
      ['a', 'b'],
      ['b', 'b'],
    ],
    ['b'],
    ['b'],
  ],
  [
    'ended',
    [
      ['a', 'b'],
      ['b', 'c'],
    ],
    ['b', 'c'],
    ['a', 'b'],
  ],
  [
    'began',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    ['c', 'a'],
    ['c', 'a'],
  ],
])('a listed item is the one that %s under its id', (_, items, listed, shown) => {
  const item = (id: string, word: string) => ({ ...WHOLE, id, content: [{ ...PART, text: word }] })
  const words = items.map(([begun]) => `${begun}!`)
  const { sent } = passed(
    bytesOf([
      CREATED,
      ...items.flatMap(([begun, ended], output_index) => [
        { type: 'response.output_item.added', output_index, item: { ...MESSAGE, id: begun } },
        { type: DONE, output_index, item: item(ended, words[output_index] as string) },
      ]),
      endWith(listed.map((id, i) => item(id, `${shown[i]}!`))),
    ]),
  )
  const output = shown.map((id) => ({ id, content: [{ text: `${id}!` }] }))
  expect(eventsIn(sent).at(-1)).toMatchObject({ response: { output } })
})

it.each(['chunk', 'data'])('events keep their types in frames that all have the name %s', (event) => {
  const frames = [
    CREATED,
    { type: 'response.output_item.added', output_index: 0, item: MESSAGE },
    { type: 'response.content_part.added', ...at(0, 'msg'), part: { ...PART, text: '' } },
    { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'Hello' },
    { type: 'response.output_text.done', ...at(0, 'msg'), text: 'Hello' },
    { type: 'response.content_part.done', ...at(0, 'msg'), part: PART },
    { type: 'response.output_item.done', output_index: 0, item: WHOLE },
    { ...ENDED, response: { ...ENDED.response, output: [WHOLE] } },
  ].map((data, sequence_number) => writeFrame({ event, data: JSON.stringify({ ...data, sequence_number }) }, 'sse'))
  const { sent, outcome } = passed(new Uint8Array(Buffer.concat(frames)))
  expect(outcome.status).toBe('completed')
  expect(sent.match(/"type":"response\.[a-z_.]+"/g)).toHaveLength(frames.length)
  expect(sent).not.toContain(`"type":"${event}"`)
})

it('a part without its text has it at its first end', () => {
  const part = { type: 'output_text', annotations: [] }
  const end = { type: 'response.content_part.done', ...at(0, 'msg'), part }
  const { sent } = passed(
    bytesOf([
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: MESSAGE },
      { type: 'response.content_part.added', ...at(0, 'msg'), part },
      { type: 'response.output_text.delta', ...at(0, 'msg'), delta: 'Hel' },
      { type: 'response.output_text.done', ...at(0, 'msg'), text: 'Hel' },
      { ...end, content_index: 1 },
      end,
    ]),
    'fail',
  )
  const texts = eventsIn(sent).flatMap(({ part: one }) => (isObject(one) ? one.text : []))
  expect(texts).toEqual(['', 'Hel', ''])
})
