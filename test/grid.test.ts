import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { getOrCreate } from '../src/collections/get-or-create.ts'
import { openaiReasoningText } from '../src/dialects/openai.ts'
import { createBodyCollector, translateWholeBody } from '../src/engine/body-collector.ts'
import { wireTarget } from '../src/engine/client-target.ts'
import { createTranslation, streamWholeBody } from '../src/engine/translation.ts'
import { run } from '../src/machine/run.ts'
import type { Item } from '../src/protocol/item.ts'
import type { Response } from '../src/protocol/response.ts'
import { parseJson } from '../src/text/json.ts'
import { WIRES } from '../src/wires/registry.ts'
import { slices } from './arbitraries/bytes.ts'
import { byWire, checkEach } from './cases.ts'
import { CLIENT_WIRES, closing, encodeAnswerAs, REQUEST_WITH_EVERYTHING, readAnswerAs } from './cross-translate.ts'
import { ALL_FIXTURES, endOf, type Fixture, headOf, optionsOf, toBytes, translated } from './engine/run-engine.ts'
import { someOf } from './property.ts'
import { RECORDED_STREAMS, readRecorded } from './recordings.ts'
import { carries } from './support-matrix.ts'
import { endingFor } from './wires/usable.ts'

type ClientWires = typeof CLIENT_WIRES
type Answered = Omit<Fixture, 'at'>

/** One test has many cases, so that a busy machine needs a long time for it. */
const TIMEOUT_MS = 600_000

/** The golden grid: every fixture, encoded for the clients of every wire, and decoded again. */

const items = <T extends Item['type']>({ output }: Response, type: T) =>
  output.filter((item): item is Extract<Item, { type: T }> => item.type === type)

/** Treats missing arguments as empty arguments. */
const argumentsOf = (text: string): unknown => {
  const value = parseJson(text.trim() || '{}')
  return value === undefined ? text : (value ?? {})
}

/** Extracts the fields that every client must receive, except those that the loss table excludes for its wire. */
function essence(response: Response, to: ClientWires[number], placed: boolean) {
  const whole = items(response, 'function_call').filter(
    ({ status }) => status === 'completed' || carries(to, 'calls: truncated arguments'),
  )
  const calls = whole.map(({ call_id, name, arguments: args }) => [call_id, name, argumentsOf(args)])
  const parts = items(response, 'message').flatMap(({ content }) => content)
  // A client with one text has a blank line between two parts of an item.
  const reasoningText = items(response, 'reasoning')
    .map(({ summary, content }) => [...summary, ...content].map(({ text }) => text).join('\n\n'))
    .join('')
  return {
    text: parts.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join(''),
    // Items may have become one.
    reasoning: carries(to, 'reasoning in several items') ? reasoningText : reasoningText.replace(/\s+/g, ''),
    calls,
    sealed: carries(to, 'encrypted reasoning of another vendor') && hasSeals(response),
    status: response.status,
    reason: response.incomplete_details?.reason ?? null,
    message: response.error?.message ?? null,
    pages: pagesOf(response, to, placed),
    logprobs: carries(to, 'log probabilities')
      ? parts.flatMap((part) => ('logprobs' in part ? part.logprobs : []))
      : [],
    ...countsOf(response, to),
  }
}

const hasSeals = (response: Response): boolean =>
  items(response, 'reasoning').some(({ encrypted_content: sealed }) => sealed !== null)

/**
 * Returns each cited page once for each cited text, in order: some wires report a page that is cited twice only once.
 */
function pagesOf(response: Response, to: ClientWires[number], placed: boolean): readonly string[] {
  if (!carries(to, 'cited pages')) return []
  const titled = carries(to, 'cited pages: titles')
  const parts = items(response, 'message').flatMap(({ content }) => content)
  const cited = parts.flatMap((part) => {
    if (part.type !== 'output_text') return []
    const pages = part.annotations.filter((it) => it.type === 'url_citation')
    return pages.map(({ url, title, start_index, end_index }) => [
      url,
      titled ? title : '',
      placed ? part.text.slice(start_index, end_index) : '',
    ])
  })
  return [...new Set(cited.map((it) => it.join(' ')))]
}

/** Some wires require both counts, so that a missing one becomes 0. Others always require them. */
function countsOf({ usage, status }: Response, to: ClientWires[number]) {
  if (status === 'failed' && !carries(to, 'failures: usage')) return { tokens: null, cached: null }
  const must = usage !== null || !carries(to, 'usage: unknown')
  const { input_tokens: input = null, output_tokens: output = null, cached_tokens: cached = null } = usage ?? {}
  return {
    tokens: [input, output].map((count) => (must ? (count ?? 0) : count)),
    // Cached tokens are limited to the input tokens. A group of zeros says nothing in the Messages API.
    cached: carries(to, 'usage: cached') && cached !== null && input !== 0 ? Math.min(cached, input ?? cached) : null,
  }
}

const refuses = (response: Response): boolean =>
  items(response, 'message').some(({ content }) => content.some(({ type }) => type === 'refusal'))

/**
 * If `whole` is set, calls are compared as well. A body can contain arguments as values, which truncated ones are not.
 */
function expectSame(received: Response, sent: Response, to: ClientWires[number], whole = true): void {
  // Wires without truncated calls drop them. An answer with nothing else then has no ending to compare.
  const silent = isCut(sent) && !carries(to, 'calls: truncated arguments') && items(sent, 'message').length === 0
  const ends = silent || (refuses(sent) && !carries(to, 'refusals: finish'))
  // Other encrypted items may arrive as reasoning as well.
  const sealed = hasSeals(sent) ? {} : { sealed: false }
  const left = {
    ...sealed,
    ...(ends ? { status: '', reason: null, message: null } : {}),
    ...(whole ? {} : { calls: [] }),
  }
  const placed = carries(to, 'cited pages: offsets')
  expect({ ...essence(received, to, placed), ...left }).toEqual({
    ...essence({ ...sent, ...endingFor(sent) }, to, placed),
    ...left,
  })
}

const MEANT = new WeakMap<Answered, Response>()

/** Decodes the fixture with its own wire. */
const meant = (fixture: Answered): Response =>
  getOrCreate(MEANT, fixture, ({ wire, stream, quirks }) => {
    const reader = wire.framing.open(1 << 26)
    return closing(encodeAnswerAs(run(wire.decodeStream(quirks), [...reader.push(stream), ...reader.end()])))
  })

const optionsTo = ({ wire, quirks }: Answered, to: ClientWires[number]) => ({
  wire,
  quirks,
  head: headOf('x'),
  target: wireTarget(to, { settings: REQUEST_WITH_EVERYTHING }),
})

function translatedTo(fixture: Answered, to: ClientWires[number], size = 1 << 26): Uint8Array {
  const translation = createTranslation(optionsTo(fixture, to))
  const written = [...slices(fixture.stream, size)].map((piece) => translation.push(piece))
  return Buffer.concat([...written, translation.push('end')])
}

const nameOf = ({ name }: { readonly name: string }): string => name
const isBoth = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

describe.each(CLIENT_WIRES)('answers to clients of $name', { timeout: TIMEOUT_MS }, (to) => {
  /** In a short run, the clients of each wire receive other fixtures. */
  const fixtures = someOf(ALL_FIXTURES, 3, CLIENT_WIRES.indexOf(to))

  it.each(byWire(fixtures))('carry streams of %s up to the loss table', (_, fixtures) => {
    checkEach(fixtures, nameOf, (fixture) => expectStream(fixture, to))
  })

  it.each(byWire(fixtures))('carry collected streams of %s up to the loss table', (_, fixtures) => {
    checkEach(fixtures, nameOf, (fixture) => expectCollected(fixture, to))
  })

  const whole = fixtures.filter(({ at }) => existsSync(at('body.json')))
  it.each(byWire(whole))('carry whole bodies of %s up to the loss table', (_, fixtures) => {
    checkEach(fixtures, nameOf, (fixture) => expectBody(fixture, to))
  })
})

function expectStream(fixture: Fixture, to: ClientWires[number]): void {
  const bytes = translatedTo(fixture, to)
  expectSame(readAnswerAs(to, bytes), meant(fixture), to)
  for (const size of someOf([1, 1000, 7], 3))
    if (!isBoth(translatedTo(fixture, to, size), bytes)) expect.unreachable(`other bytes in pieces of ${size}`)
}

function expectCollected(fixture: Fixture, to: ClientWires[number]): void {
  const collection = createBodyCollector(optionsTo(fixture, to))
  collection.push(fixture.stream)
  const body = endOf(collection)
  const { error } = collection.outcome()
  if (error !== null) expect(body).toEqual(to.client.encodeError(error, headOf('x').id).body)
  else expectSame(closing(encodeAnswerAs(to.decodeBody(body, {}))), meant(fixture), to, !isCut(meant(fixture)))
}

function expectBody(fixture: Fixture, to: ClientWires[number]): void {
  const text = readFileSync(fixture.at('body.json'), 'utf8')
  const options = optionsTo(fixture, to)
  const { body: response, outcome } = translateWholeBody(options, text)
  const streamed = readAnswerAs(to, streamWholeBody(options, text).bytes)
  expectSame(streamed, meant(fixture), to)
  if (outcome.error === null) expectSame(closing(encodeAnswerAs(to.decodeBody(response, {}))), meant(fixture), to)
}

const isCut = (response: Response): boolean =>
  items(response, 'function_call').some(({ arguments: args }) => parseJson(args) === undefined)

describe.each(CLIENT_WIRES)('$name answers to clients of $name', (to) => {
  const own = ALL_FIXTURES.filter(({ wire }) => wire.name === to.name)

  it('carry everything that these clients can see', () => {
    checkEach(own, nameOf, (fixture) => {
      const expected = meant(fixture)
      const received = readAnswerAs(to, translatedTo(fixture, to))
      if (isCut(expected)) expectSame(received, expected, to)
      else expect(visible(received, to)).toEqual(visible(expected, to))
    })
  })
})

const MADE_UP = ['id', 'call_id', 'model', 'created_at']

/**
 * Fields that a wire reports elsewhere: Gemini puts a signature behind its text, reports opened pages with the text
 * that they led to, and does not report that a code step was truncated.
 */
const MOVED: Readonly<Record<string, readonly string[]>> = { 'gemini-generate': ['marks'] }

const HOSTED = /_call$/

function inPlace(response: Response, to: ClientWires[number]): Response {
  if (MOVED[to.name] === undefined) return response
  const isHosted = ({ type }: Item): boolean => HOSTED.test(type) && !/^(?:function|custom)/.test(type)
  // In this format the answer has a status, and its items have none.
  const items = response.output.map((item) => ({ ...item, status: '' }) as Item)
  return { ...response, output: [...items.filter((item) => !isHosted(item)), ...items.filter(isHosted)] }
}

/** Usage in this format is numbers or missing (docs/dialects.md). */
const COUNTS = /_tokens$/

/** `hasPhases`: the upstream reports phases, so that none is inferred. */
function responsesVisible(response: Response, hasPhases: boolean): unknown {
  const { usage } = response
  // The unit of an upstream's offsets is guessed if a character has one or two UTF-16 units.
  const unlike = /[\ud800-\udbff]/.test(JSON.stringify(items(response, 'message'))) ? ['start_index', 'end_index'] : []
  const cut = response.error?.code === 'upstream_truncated' || response.error?.code === 'server_error' ? ['code'] : []
  const lost = [...MADE_UP, ...unlike, ...cut, ...(hasPhases ? [] : ['phase']), 'encrypted_content']
  const sum = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0)
  // Details have no fields in this API.
  // Nor have lifetimes of cache entries that only other vendors have.
  const known = Object.keys(usage?.cache_writes ?? {}).every((lifetime) => ['30m', '12h'].includes(lifetime))
  const unknown = { details: undefined, ...(known ? {} : { cache_writes: undefined }) }
  const counted = usage === null ? null : { ...usage, ...unknown, total_tokens: usage.total_tokens ?? sum }
  return JSON.parse(
    JSON.stringify({ ...response, usage: counted }, (key, value) => {
      if (lost.includes(key)) return undefined
      if (value?.type === 'file_citation') return withoutCitedText(value)
      return COUNTS.test(key) ? (value ?? 0) : value
    }),
  )
}

/** OpenAI's citation of a file has a place in the text only. */
const withoutCitedText = ({ start_index, content, place, ...known }: Readonly<Record<string, unknown>>) => known

/** Removes generated ids, the losses of this wire, and fields that the wire reports elsewhere. */
function visible(response: Response, to: ClientWires[number]): unknown {
  const lost = [
    ...MADE_UP,
    ...(MOVED[to.name] ?? []),
    ...(carries(to, 'cited pages: offsets') ? [] : ['start_index', 'end_index']),
    ...(response.error === null ? [] : ['code', ...(carries(to, 'failures: usage') ? [] : ['usage'])]),
  ]
  const shown = (key: string, value: unknown): unknown => {
    if (lost.includes(key)) return undefined
    // JSON inside a string may have another spelling.
    if (key === 'arguments') return toValue(value, lost) ?? {}
    return key === 'encrypted_content' ? toValue(value, lost) : value
  }
  return JSON.parse(JSON.stringify(inPlace(response, to), shown))
}

/** Envelopes contain ids as well. */
function toValue(text: unknown, lost: readonly string[]): unknown {
  const value = typeof text === 'string' ? parseJson(text) : text
  if (value === undefined) return text
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (lost.includes(key) ? undefined : inner)))
}

const recorded = RECORDED_STREAMS.map(({ file, ...one }) => ({ ...one, name: file }))
const READ = new Map<string, Answered>()
/** The same object for each of its clients. */
const readAnswer = ({ wire, quirks, name }: (typeof recorded)[number]): Answered =>
  getOrCreate(READ, name, () => ({ wire, quirks, name: 'x', stream: readRecorded(name) }))

describe.runIf(recorded.length > 0).each(CLIENT_WIRES)('recorded answers in $name', { timeout: TIMEOUT_MS }, (to) => {
  /** In a short run, the clients of each wire receive other recordings. */
  const some = someOf(recorded, 24, CLIENT_WIRES.indexOf(to))

  it.each(byWire(some))('carry the answers of %s up to the loss table', (_, some) => {
    checkEach(some, nameOf, (one) => {
      const answer = readAnswer(one)
      const expected = meant(answer)
      const received = readAnswerAs(to, translatedTo(answer, to))
      if (one.wire.name === to.name && !isCut(expected)) expect(visible(received, to)).toEqual(visible(expected, to))
      else expectSame(received, expected, to)
    })
  })
})

/**
 * Clients of the Responses API, whose wire is the dialect `openai`, here with raw reasoning. The only loss is the code
 * of a broken connection.
 */
describe('answers to clients of openai-responses', { timeout: TIMEOUT_MS }, () => {
  const wire = WIRES['openai-responses']
  const writtenTo = (fixture: Answered): string =>
    translated(optionsOf(openaiReasoningText, fixture.quirks, 'x', fixture.wire), [fixture.stream])
  const expectAll = (fixture: Answered): void => {
    const hasPhases = fixture.wire.reportsPhases === true
    const received = readAnswerAs(wire, toBytes(writtenTo(fixture)))
    expect(responsesVisible(received, hasPhases)).toEqual(responsesVisible(meant(fixture), hasPhases))
  }

  it.each(byWire(ALL_FIXTURES))('carry fixture streams of %s without a loss', (_, fixtures) =>
    checkEach(fixtures, nameOf, expectAll),
  )
  const some = someOf(recorded, 24)
  it.runIf(some.length > 0).each(byWire(some))('carry recorded streams of %s without a loss', (_, some) =>
    checkEach(some, nameOf, (one) => expectAll(readAnswer(one))),
  )
})

it('the grid has at least one wire with clients', ({ skip }) => {
  if (CLIENT_WIRES.length === 0) skip('no wire has clients yet')
})
