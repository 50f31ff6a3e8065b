import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { createBodyCollector, translateWholeBody } from '../../src/engine/body-collector.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import type { Outcome } from '../../src/engine/outcome.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { runSteps } from '../../src/text/steps.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { cutBytes, cuts, slices } from '../arbitraries/bytes.ts'
import { eventsOf, optionsOf, toBytes, translated } from '../engine/run-engine.ts'
import { endsOf } from '../engine/stream-ends.ts'
import { sealed, targetOf } from '../engine/target.ts'
import { checkCase, IS_WHOLE, someOf } from '../property.ts'
import { requestOf } from '../request-bodies.ts'
import type { Loose } from './client-stream.ts'
import { user } from './hub-requests.ts'
import { type Cases, listed, titled } from './request-cases.ts'

/**
 * Answers of upstreams as data. Each case is decoded in every dialect (in a short run one of them in turns), cut
 * anywhere, one frame at a time, as a whole body if it has one, and after it passed through to a client of its own
 * protocol.
 */

/** An answer, and what the client of the hub receives for it. */
export interface AnswerCase {
  /** In a list: the rest of the title, as text or JSON. Left out: the expected items. */
  readonly name?: unknown
  /** The payloads of its frames. A text is the text of a frame, a frame of an event stream is itself. */
  readonly stream?: readonly unknown[]
  /** The same answer as a whole body. Null: there is none, though the wire has a body for every stream. */
  readonly body?: unknown
  readonly quirks?: Quirks
  /** All items, as `lineOf` writes them, or members of an item. */
  readonly items?: readonly (string | object)[] | undefined
  /** `completed` if it is left out and there are items; `incomplete: REASON`, or `failed: WORDS OF THE MESSAGE`. */
  readonly end?: string | undefined
  readonly code?: string
  /** The counts of input, output, all, cached and reasoning tokens; the last of them may be left out. */
  readonly usage?: readonly (number | null)[] | null | undefined
  readonly model?: string
  /** All losses. Left out: none. Null: any. */
  readonly losses?: readonly string[] | null
  /** All deltas. */
  readonly deltas?: readonly object[]
  /** The payloads of all sealed content. */
  readonly seals?: readonly unknown[]
  /** Some of the deltas. */
  readonly emits?: readonly object[]
  /** What differs for a client of the wire's own protocol, for whom the gateway repairs nothing. */
  readonly passed?: Pick<AnswerCase, 'items' | 'end' | 'usage'>
  /** The items of the stream, if the body that is collected from it has others: final values replace earlier ones. */
  readonly streamed?: AnswerCase['items']
  /** Members of the messages of the next request, in which the answer returns to the vendor that sent it. */
  readonly back?: readonly object[]
  /** A text that neither the deltas nor the response contain. */
  readonly hides?: string | undefined
}

/** How a wire writes its answers. */
export interface AnswerForm {
  readonly wire: KnownWire
  /** Writes the text of one frame. Left out: a line of NDJSON, or SSE without names. */
  readonly write?: (payload: unknown) => string
  /** Returns the body that is equal to a stream, if there is one. */
  readonly bodyOf?: (stream: readonly unknown[]) => unknown
}

/** A value of an item without further members. */
export const exactly = (value: unknown): unknown => expect.toSatisfy((found) => isDeepStrictEqual(found, value))
/** An item of a hosted tool without further members than its id and its sealed content. */
export const hostedItem = (item: object): object =>
  expect.toSatisfy(({ id, encrypted_content, ...found }: Loose) => isDeepStrictEqual(found, item))

const joined = (parts: readonly Loose[]): string =>
  parts.map((part) => (part.type === 'refusal' ? `refusal: ${part.refusal}` : part.text)).join('|')

/** Returns the text of a part and, for each of its citations, the text that it cites. */
const marksOf = ({ text = '', annotations = [] }: Loose): string =>
  annotations
    .map((it: Loose) => ` [${it.url ?? it.filename} ${JSON.stringify(text.slice(it.start_index, it.end_index))}]`)
    .join('')

const LINES: Readonly<Record<string, (item: Loose) => string>> = {
  message: ({ content }) => joined(content) + content.map(marksOf).join(''),
  reasoning({ summary = [], content = [], encrypted_content: sealed }) {
    const text = joined([...summary, ...content])
    return `${typeof sealed === 'string' ? 'sealed ' : ''}reasoning${text && `: ${text}`}`
  },
  function_call: ({ call_id, name, arguments: args }) => `${idOf(call_id)}${name}(${args})`,
  custom_tool_call: ({ call_id, name, input }) => `${idOf(call_id)}${name}: ${input}`,
}

/** Ids that the gateway makes are left out. */
const idOf = (id: string): string => (/^call_x_\d+$/.test(id) ? '' : `${id} `)

/** `Hi`, `reasoning: Hm.`, `id f({"a":1})`, `web_search_call`; with the status unless it is `completed`. */
function lineOf(item: Loose): string {
  const line = LINES[item.type]?.(item) ?? item.type
  return item.status === undefined || item.status === 'completed' ? line : `${line} (${item.status})`
}

function expectResponse(response: Loose, outcome: Outcome, expected: AnswerCase): void {
  const { items, end = items && 'completed', code, usage, losses, model, hides } = expected
  const { output, status, incomplete_details, error } = response
  if (items !== undefined)
    expect(output.map((it: Loose, at: number) => (typeof items[at] === 'object' ? it : lineOf(it)))).toMatchObject(
      items,
    )
  if (end !== undefined) {
    const [wanted, words = ''] = end.split(/: (.*)/)
    expect(status).toBe(wanted)
    expect(outcome.status).toBe(wanted)
    if (wanted === 'failed') expect(error.message).toContain(words)
    else expect(incomplete_details?.reason ?? '').toBe(words)
  }
  if (losses !== undefined && losses !== null) expect(outcome.losses).toEqual(losses)
  if (code !== undefined) expect(error?.code).toBe(code)
  if (model !== undefined) expect(response.model).toBe(model)
  if (usage !== undefined) expect(usage && countsOf(response.usage).slice(0, usage.length)).toEqual(usage)
  if (usage === null) expect(response.usage).toBeNull()
  if (hides !== undefined) expect(JSON.stringify(response)).not.toContain(hides)
}

const countsOf = (usage: Loose): readonly unknown[] => [
  usage?.input_tokens,
  usage?.output_tokens,
  usage?.total_tokens,
  usage?.input_tokens_details.cached_tokens,
  usage?.output_tokens_details.reasoning_tokens,
]

function expectDeltas(found: readonly Delta[], { deltas, seals, emits = [], hides }: AnswerCase): void {
  // The words of an upstream about its answer have tests of their own (test/api/upstream-words.test.ts).
  const told = found.filter((delta) => delta.kind !== 'served' || delta.words === undefined)
  if (deltas !== undefined) expect(told).toEqual(deltas)
  const payloads = found.flatMap((delta) => (delta.kind === 'opaque' ? [delta.payload] : []))
  if (seals !== undefined) expect(payloads).toEqual(seals)
  for (const delta of emits) expect(found).toContainEqual(expect.objectContaining(delta))
  if (hides !== undefined) expect(JSON.stringify(found)).not.toContain(hides)
}

/** Sends the output as history, with the payloads sealed by the same vendor. */
function expectReturned(
  { name, encodeRequest }: KnownWire,
  { back, quirks }: AnswerCase,
  response: Loose,
  deltas: readonly Delta[],
) {
  if (back === undefined) return
  const payloads = deltas.flatMap((delta) => (delta.kind === 'opaque' ? [delta.payload] : []))
  const history = response.output.map((item: Loose) =>
    typeof item.encrypted_content === 'string'
      ? { ...item, encrypted_content: sealed(name, payloads.shift() ?? null) }
      : item,
  )
  const input = [user('Hi'), ...history, user('Go on.')]
  const encoded = runSteps(encodeRequest(requestOf({ input }), targetOf(name, quirks)))
  expect(encoded.ok && encoded.body.messages).toMatchObject(back)
}

const BODY = ', as a body'
const ALL_DIALECTS = Object.values(DIALECTS)
/** A short run tests one of them for each title, beside the bodies that a case has. */
const IN_TURNS: readonly string[] = [', cut anywhere', BODY, ', passed through']

/** Returns the function that tests the answers of a wire. `title` stands before the names of the cases. */
export function answersOf({ wire, write, bodyOf }: AnswerForm) {
  const isLines = wire.framing.name === 'ndjson'
  const isFrame = (one: unknown): one is Frame => wire.framing.name === 'eventstream' && typeof one === 'object'
  const pieceOf = (one: unknown): Uint8Array => {
    if (isFrame(one)) return encodeEventStream(one)
    if (typeof one === 'string') return toBytes(one)
    return toBytes(write?.(one) ?? (isLines ? `${JSON.stringify(one)}\n` : `data: ${JSON.stringify(one)}\n\n`))
  }
  const bytesOf = (pieces: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces))
  const framesOf = (bytes: Uint8Array): readonly Frame[] => {
    const reader = wire.framing.open(1 << 26)
    return [...reader.push(bytes), ...reader.end()]
  }
  const optionsFor = ({ quirks }: AnswerCase) => optionsOf(openai, quirks, 'x', wire)
  const collect = (one: AnswerCase, pieces: readonly Uint8Array[]) => {
    const collector = createBodyCollector(optionsFor(one))
    for (const piece of pieces) collector.push(piece)
    collector.push('end')
    return [collector.body(), collector.outcome()] as const
  }
  const piecesOf = ({ stream = [] }: AnswerCase) => stream.map(pieceOf)
  const bodyFor = ({ stream, body }: AnswerCase) => (body === undefined && stream ? bodyOf?.(stream) : body)

  const checks: Readonly<Record<string, (one: AnswerCase, at: number) => void>> = {
    '': (one, at) => {
      const bytes = bytesOf(piecesOf(one))
      for (const dialect of someOf(ALL_DIALECTS, ALL_DIALECTS.length, at))
        expect(checkStream(translated(optionsOf(dialect, one.quirks, 'x', wire), [bytes]), dialect)).toEqual([])
      const deltas = run(wire.decodeStream(one.quirks ?? {}), framesOf(bytes))
      expectDeltas(deltas, one)
      const [response, outcome] = collect(one, [bytes])
      expectResponse(response, outcome, { losses: [], ...one })
      expectReturned(wire, one, response, deltas)
    },
    ', cut anywhere': (one) => {
      const pieces = piecesOf(one)
      const bytes = bytesOf(pieces)
      const whole = translated(optionsFor(one), [bytes])
      const [response, outcome] = collect(one, [bytes])
      const last: Loose = eventsOf(whole).at(-1)?.response
      if (one.streamed === undefined) expect(last).toEqual(response)
      else expectResponse(last, outcome, { items: one.streamed })
      expect(translated(optionsFor(one), pieces)).toBe(whole)
      checkCase(
        fc.property(cuts, (at) => {
          expect(translated(optionsFor(one), cutBytes(bytes, at))).toBe(whole)
        }),
        10,
      )
      if (IS_WHOLE) expect(translated(optionsFor(one), slices(bytes, 1))).toBe(whole)
    },
    [BODY]: (one) => {
      const body = bodyFor(one)
      const deltas = wire.decodeBody(body as never, one.quirks ?? {})
      expectDeltas(deltas, one)
      const { body: response, outcome } = translateWholeBody(optionsFor(one), JSON.stringify(body))
      expectResponse(response, outcome, { losses: [], ...one })
      expectReturned(wire, one, response, deltas)
      const streamed = createTranslation(optionsFor(one))
      const text = new TextDecoder().decode(streamed.push({ body: JSON.stringify(body) }))
      expect(checkStream(text, openai)).toEqual([])
      expect(eventsOf(text).at(-1)?.response).toEqual(response)
    },
    ', passed through': (one) => {
      const { client, passthrough, name } = wire
      if (client === undefined || passthrough === undefined) return expect.unreachable(name)
      const options = { ...optionsFor(one), target: wireTarget({ name, client }) }
      const passed = new PassedStream(options, passthrough.answer, openFastPath)
      const pieces: Uint8Array[] = []
      for (const piece of [...piecesOf(one), 'end' as const])
        if (!passed.progress.over()) pieces.push(passed.push(piece).slice())
      const bytes = bytesOf(pieces)
      const { error } = passed.outcome()
      expect(endsOf(name, framesOf(bytes))).toEqual([error === null ? 'complete' : 'failed'])
      // An error that the gateway writes is another.
      const { items, usage, end, hides } = { ...one, ...one.passed }
      expectResponse(...collect(one, [bytes]), error === null ? { items, usage, end, hides } : { items, end: 'failed' })
    },
  }
  const applies = (way: string, one: AnswerCase): boolean => {
    if (way === BODY) return (bodyFor(one) ?? null) !== null
    if (one.stream === undefined) return false
    return way !== ', passed through' || (wire.client !== undefined && wire.passthrough !== undefined)
  }

  return (subject: string, title: string, named: Cases<AnswerCase> | readonly AnswerCase[]): void => {
    const { cases } = titled<AnswerCase>(subject, title, named)
    describe(subject, () => {
      for (const [at, [name, found]] of Object.entries(cases).entries())
        for (const [way, check] of Object.entries(checks)) {
          const inTurn = someOf(IN_TURNS, 3, at).includes(way)
          const always = ({ body }: AnswerCase): boolean =>
            !IN_TURNS.includes(way) || (way === BODY && body !== undefined)
          const those = listed<AnswerCase>(found).filter((one) => applies(way, one) && (inTurn || always(one)))
          if (those.length > 0) it(name + way, () => those.forEach((one, i) => check(one, at + i)))
        }
    })
  }
}
