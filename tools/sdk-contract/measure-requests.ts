import { clientNamed } from '../../src/api/names.ts'
import { type TranslatedRequest, translateRequest } from '../../src/api/translate-request.ts'
import type { Dialect } from '../../src/dialects/dialect.ts'
import type { ClientWire } from '../../src/engine/client-target.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { withKits } from '../../test/wires/with-kits.ts'
import { addToConversation } from './answer-calls.ts'
import { type Placed, REQUESTS, toGeminiBody } from './base-bodies.ts'
import { type SampleContext, samplesOf } from './build-sample.ts'
import type { Word } from './list-words.ts'

/** The effect on a word: carried, mapped, dropped and refused as in docs/losses.md; the others are not a result. */
export type Effect = 'carried' | 'mapped' | 'dropped' | 'refused' | 'silent' | 'invalid'

export interface Measured {
  readonly effect: Effect
  /** The reason that is recorded. */
  readonly why: string
}

/** A model of each upstream that has all features. */
const UPSTREAMS: Readonly<Record<WireName, { readonly vendor: string; readonly model: string }>> = withKits(
  {
    'openai-chat': { vendor: 'openai-chat', model: 'gpt-6-sol' },
    'openai-responses': { vendor: 'openai', model: 'gpt-6-sol' },
    'anthropic-messages': { vendor: 'anthropic', model: 'claude-opus-5' },
    'gemini-generate': { vendor: 'google', model: 'gemini-3-pro' },
    'bedrock-converse': { vendor: 'bedrock', model: 'anthropic.claude-opus-4-6-v1' },
    'cohere-chat': { vendor: 'cohere', model: 'command-a-plus-05-2026' },
    'ollama-chat': { vendor: 'ollama', model: 'gpt-oss:20b' },
  },
  ({ vendor, model }) => ({ vendor, model }),
)

export const UPSTREAM_NAMES = Object.keys(UPSTREAMS) as readonly WireName[]

const RANK: readonly Effect[] = ['carried', 'mapped', 'dropped', 'refused', 'silent', 'invalid']

export const best = (found: readonly Measured[]): Measured =>
  [...found].sort((a, b) => RANK.indexOf(a.effect) - RANK.indexOf(b.effect))[0] ?? {
    effect: 'invalid',
    why: 'no sample',
  }

const formatPlace = (place: Placed['place']): string =>
  place.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`),
    '',
  )

const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)

const ownerOf = (path: string): string => path.replace(/\.[^.]*$/, '')

/** The body without the value at the place. */
export function without(value: Json, [key, ...rest]: Placed['place']): Json {
  if (key === undefined) return value
  if (Array.isArray(value))
    return rest.length === 0
      ? value.filter((_, at) => at !== key)
      : value.map((one, at) => (at === key ? without(one, rest) : one))
  const record = value as JsonObject
  const name = String(key)
  const { [name]: inner, ...others } = record
  if (rest.length === 0) return others
  return Object.fromEntries(
    Object.entries(record).map(([k, one]) => [k, k === name ? without(inner as Json, rest) : one]),
  )
}

export function valueAtPlace(value: unknown, place: Placed['place']): unknown {
  return place.reduce<unknown>((now, key) => (now as Record<string | number, unknown> | undefined)?.[key], value)
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Where the samples of a word come from, and where they go. */
export interface RequestProbe {
  readonly context: SampleContext
  /** The wire of the package. */
  readonly wire: WireName
  /** The vendor of the package, for its upstream of the same wire. */
  readonly vendor: string
}

function clientOf(wire: WireName): Dialect | ClientWire {
  const named = clientNamed('from', wire)
  return named.dialect === null ? named.wire : named.dialect
}

/** Many words share the body without them. */
const translated = new Map<string, TranslatedRequest>()

export function translate(body: JsonObject, wire: WireName, to: WireName, vendor: string): TranslatedRequest {
  const key = `${wire} ${to} ${vendor} ${JSON.stringify(body)}`
  const known = translated.get(key)
  if (known !== undefined) return known
  const made = translateOnce(body, wire, to, vendor)
  if (translated.size > 20_000) translated.clear()
  translated.set(key, made)
  return made
}

function translateOnce(body: JsonObject, wire: WireName, to: WireName, vendor: string): TranslatedRequest {
  const { vendor: usual, model } = UPSTREAMS[to]
  const row = findVendor(to === wire ? vendor : usual)
  const quirks = row?.wires?.[to]?.quirks ?? row?.quirks ?? {}
  return translateRequest(body, { from: clientOf(wire), to, quirks, model })
}

/** Whether all values of a type mean the same. */
export const isPlain = ({ type }: Word): boolean => ['text', 'number', 'flag', 'bytes', 'word'].includes(type.kind)

const ROLES: Readonly<Record<string, readonly string[]>> = {
  messages: ['user', 'assistant'],
  contents: ['user', 'model'],
  input: ['user', 'assistant'],
}

/** Content is accepted in messages of some roles only: the sample in each of them. */
function withRoles(request: Placed): readonly Placed[] {
  const { body, place } = request
  const [list, at, ...rest] = place
  const roles = typeof list === 'string' ? ROLES[list] : undefined
  const entries = typeof list === 'string' ? body[list] : undefined
  if (roles === undefined || typeof list !== 'string' || !Array.isArray(entries) || rest.length === 0) return [request]
  const entry = entries[Number(at)] as JsonObject | undefined
  if (typeof entry?.role !== 'string' || rest[0] === 'role') return [request]
  const others = roles.filter((role) => role !== entry.role)
  return [
    request,
    ...others.map((role) => ({
      place,
      body: { ...body, [list]: entries.map((one, i) => (i === at ? { ...entry, role } : one)) },
    })),
  ]
}

/** The samples of a word as whole requests. */
export function requestsOf({ context, wire }: RequestProbe, word: Word): readonly Placed[] {
  const base = REQUESTS[wire]
  if (base === undefined) return []
  return samplesOf(context, word)
    .map(({ body, place }) => {
      const placed = { body: body as JsonObject, place }
      return addToConversation(wire, base, wire === 'gemini-generate' ? toGeminiBody(placed) : placed)
    })
    .flatMap(withRoles)
}

/** The effect of a request's word on one upstream. */
export const measureRequest = (
  probe: RequestProbe,
  requests: readonly Placed[],
  isPlain: boolean,
  to: WireName,
): Measured => firstBest(requests, isPlain, (request) => measureOne(probe, request, to))

/** The effect on one of several samples is enough if no other can be better. `isPlain`: they differ in nothing. */
export function firstBest<Sample>(
  samples: readonly Sample[],
  isPlain: boolean,
  measure: (sample: Sample) => Measured,
): Measured {
  const found: Measured[] = []
  for (const sample of samples) {
    const one = measure(sample)
    found.push(one)
    if (one.effect === 'carried' || (isPlain && (one.effect === 'dropped' || one.effect === 'mapped'))) break
  }
  return best(found)
}

function measureOne({ wire, vendor }: RequestProbe, { body, place }: Placed, to: WireName): Measured {
  const path = formatPlace(place)
  const sent = translate(body, wire, to, vendor)
  const bare = translate(without(body, place) as JsonObject, wire, to, vendor)
  if (!sent.ok) {
    const { param } = sent.error
    // A fault of the object that has the member is one of the member too.
    const isOwn = typeof param === 'string' && (isWithin(path, ownerOf(param)) || isWithin(param, path))
    // The sample is in a message of each role.
    const isMisplaced = !bare.ok && sent.error.message.includes(' permitted only in contents of the role ')
    if (!isMisplaced && (bare.ok || isOwn)) return { effect: 'refused', why: sent.error.message }
    return { effect: 'invalid', why: sent.error.message }
  }
  const known = new Set(bare.ok ? bare.losses.map((loss) => `${loss.path} ${loss.action}`) : [])
  const own = sent.losses.filter(
    (loss) =>
      isWithin(path, loss.path) &&
      (loss.path === path || !known.has(`${loss.path} ${loss.action}`) || loss.action === 'dropped'),
  )
  const lost = own.find(({ action }) => action === 'dropped')
  if (lost !== undefined) return { effect: 'dropped', why: lost.why }
  const inner = sent.losses.filter((loss) => isWithin(loss.path, path))
  const bent = [...own, ...inner].find(({ action }) => action === 'mapped')
  if (to === wire && same(valueAtPlace(sent.body, place), valueAtPlace(body, place)))
    return { effect: 'carried', why: '' }
  const differs = !bare.ok || !same(sent.body, bare.body)
  if (bent !== undefined) return { effect: 'mapped', why: bent.why }
  if (differs) return { effect: 'carried', why: '' }
  const part = inner.find(({ action }) => action === 'dropped')
  return part === undefined ? { effect: 'silent', why: '' } : { effect: 'dropped', why: part.why }
}
