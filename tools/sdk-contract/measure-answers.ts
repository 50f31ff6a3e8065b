import { targetOf } from '../../src/api/client-protocol.ts'
import { clientNamed, wireNamed } from '../../src/api/names.ts'
import { openAnswerBody, openAnswerStream } from '../../src/engine/passthrough/answers.ts'
import { collectorOf, translatorOf } from '../../src/engine/stream-translator.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import { isObject } from '../../src/text/json.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { addTo, BODIES, type Placed } from './base-bodies.ts'
import { streamAround } from './base-streams.ts'
import { samplesOf } from './build-sample.ts'
import type { Word } from './list-words.ts'
import { firstBest, type Measured, type RequestProbe, without } from './measure-requests.ts'
import type { Direction } from './packages.ts'

/** The protocols in which clients receive answers. */
export const CLIENT_NAMES = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
  'ollama-chat',
] as const
export type ClientName = (typeof CLIENT_NAMES)[number]

/** The answer of an upstream, as a client receives it. */
interface Received {
  readonly text: string
  readonly losses: readonly string[]
}

const HEAD = { id: 'resp_0', created_at: 1_790_000_000, model: 'vendor/some-model', echo: EMPTY_ECHO }

/** A sample of an answer: with its word, without it, and without what contains it, from the inside out. */
export interface AnswerSample {
  readonly sent: JsonObject
  readonly bare: JsonObject | null
  readonly outside: readonly (JsonObject | null)[]
}

/** The samples of a word as whole bodies, or as events of a stream. */
export function answersOf({ context, wire }: RequestProbe, word: Word, direction: Direction): readonly AnswerSample[] {
  return samplesOf(context, word).map(({ body, place }) => {
    const placed: Placed = { body: body as JsonObject, place }
    const whole = withStatus(wire, direction === 'body' ? addTo(BODIES[wire], placed) : placed)
    return { sent: whole.body, bare: bareOf(whole), outside: outsideOf(whole, direction) }
  })
}

const ENDINGS: Readonly<Record<string, string>> = {
  error: 'failed',
  error_type: 'failed',
  incomplete_details: 'incomplete',
}

/**
 * A response with an error, or with the reason why it is incomplete, has the state that belongs to it. Any other one has
 * no error, which would fail it.
 */
function withStatus(wire: RequestProbe['wire'], { body, place }: Placed): Placed {
  if (wire !== 'openai-responses') return { body, place }
  const status = ENDINGS[String(place[0])]
  if (status !== undefined) return { body: { ...body, status }, place }
  return isObject(body.error) ? { body: { ...body, error: null }, place } : { body, place }
}

const bareOf = ({ body, place }: Placed): JsonObject | null =>
  place.length === 0 ? null : (without(body, place) as JsonObject)

/** The answer without each entry or member around the place; for an event, without the event at last. */
function outsideOf({ body, place }: Placed, direction: Direction): readonly (JsonObject | null)[] {
  const entries = place.slice(0, -1).map((_, at) => place.slice(0, at + 1))
  const bodies = entries.reverse().map((outer) => bareOf({ body, place: outer }))
  return direction === 'stream' && place.length > 0 ? [...bodies, null] : bodies
}

const quirksOf = (wire: WireName, vendor: string) => {
  const row = findVendor(vendor)
  return row?.wires?.[wire]?.quirks ?? row?.quirks ?? {}
}

/** Many words share the answer without them. */
const received = new Map<string, Received>()

function receive(
  probe: RequestProbe,
  direction: Direction,
  sent: JsonObject | null,
  like: JsonObject,
  to: ClientName,
): Received {
  const around = direction === 'body' ? '' : JSON.stringify([like.type, like.delta, like.index, Object.keys(like)])
  const key = [probe.wire, probe.vendor, direction, to, JSON.stringify(sent), around].join(' ')
  const known = received.get(key)
  if (known !== undefined) return known
  const made = receiveOnce(probe, direction, sent, like, to)
  if (received.size > 20_000) received.clear()
  received.set(key, made)
  return made
}

/** What a client of the protocol receives. `like`: the event whose place in the stream is taken. */
function receiveOnce(
  probe: RequestProbe,
  direction: Direction,
  sent: JsonObject | null,
  like: JsonObject,
  to: ClientName,
): Received {
  const { wire, vendor } = probe
  const settings = { settings: { usage: true } }
  const target = targetOf(clientNamed('to', to === 'openai-responses' ? 'openai' : to), settings)
  const from = wireNamed('from', wire)
  // An answer in the client's own protocol is passed through.
  const pass = to === wire ? (from.passthrough?.answer ?? null) : null
  const options = { wire: from, head: HEAD, target, limits: LIMITS, quirks: quirksOf(wire, vendor) }
  if (direction === 'body') {
    const collector = collectorOf(openAnswerBody(options, pass))
    collector.pushBody(JSON.stringify(sent ?? {}))
    return { text: collector.text ?? JSON.stringify(collector.body), losses: collector.outcome.losses }
  }
  const translator = translatorOf(openAnswerStream(options, pass))
  const decoder = new TextDecoder()
  const bytes = translator.push(streamAround(wire, sent, like))
  const text = decoder.decode(bytes, { stream: true }) + decoder.decode(translator.end())
  return { text, losses: translator.outcome.losses }
}

/** The effect of a word of an answer on the clients of a protocol. */
export const measureAnswer = (
  probe: RequestProbe,
  samples: readonly AnswerSample[],
  isPlain: boolean,
  direction: Direction,
  to: ClientName,
): Measured => firstBest(samples, isPlain, (sample) => measureOne(probe, sample, direction, to))

function measureOne(
  probe: RequestProbe,
  { sent, bare, outside }: AnswerSample,
  direction: Direction,
  to: ClientName,
): Measured {
  const one = receive(probe, direction, sent, sent, to)
  const other = receive(probe, direction, bare, sent, to)
  const lost = one.losses.filter((loss) => !other.losses.includes(loss))
  const differs = one.text !== other.text
  if (lost.length > 0) return { effect: differs ? 'mapped' : 'dropped', why: lost.join(', ') }
  return differs ? { effect: 'carried', why: '' } : lostAround(probe, sent, outside, direction, to)
}

/** A value without an effect is dropped if the entry or the member around it is: the loss names that one. */
function lostAround(
  probe: RequestProbe,
  sent: JsonObject,
  outside: AnswerSample['outside'],
  direction: Direction,
  to: ClientName,
): Measured {
  const one = receive(probe, direction, sent, sent, to)
  for (const outer of outside) {
    const other = receive(probe, direction, outer, sent, to)
    const lost = one.losses.filter((loss) => !other.losses.includes(loss))
    if (lost.length > 0) return { effect: 'dropped', why: lost.join(', ') }
    if (one.text !== other.text) break
  }
  return { effect: 'silent', why: '' }
}
