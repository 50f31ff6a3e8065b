import type { IncomingMessage } from 'node:http'
import { openai } from '../dialects/openai.ts'
import type { FormatName } from '../framing/format.ts'
import { inPlace } from '../protocol/error.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { sealReasoning } from '../responses/envelope.ts'
import { isObject, isText } from '../text/json.ts'
import type { Steps } from '../text/steps.ts'
import type { ClientWire } from '../to-client.ts'
import { toolPlaces } from '../validation/choice.ts'
import { validateMadeSteps } from '../validation/request.ts'
import type { Asking, Client } from '../wires/client.ts'
import { toOwnPlace } from '../wires/places.ts'
import { WIRES } from '../wires/registry.ts'
import type { Wire, WireName } from '../wires/wire.ts'
import { decodePath, pathOf, urlOf } from './address.ts'
import { type Attempt, failure, success } from './attempt.ts'
import { bearerOf } from './auth.ts'
import type { Mount } from './config.ts'
import type { Exchange } from './exchange.ts'
import type { Front, Heard, Sealing, Talk } from './front.ts'
import { splitMethod } from './method-paths.ts'
import { inWire } from './voice.ts'

/** What the address says of a request. */
interface Address extends Pick<Asking, 'model' | 'stream'> {
  readonly format?: FormatName
}

/** What tells one family's requests from another's, beside their bodies. */
interface Manner {
  /** Below the mount; `*` is any text. */
  readonly paths: readonly string[]
  /** Where its clients read which models there are, and of one of them; null: at `/models`, as those of all others. */
  readonly models: { readonly list: string; readonly one: string } | null
  /** Answers to GET that are always the same, by path. No key is needed for them. */
  readonly constants: Readonly<Record<string, JsonObject>>
  /** Paths of the family that this service does not serve, with the reason. */
  readonly refused: Readonly<Record<string, string>>
  /** Paths below which nobody else has any: who asks there for something that is not there hears it in this family's words. */
  readonly below: readonly string[]
  /** The version of the API that its clients write where others write `v1`; null: they write the same. */
  readonly version: string | null
  /** Headers that its clients alone send: they tell who asks at a path that several families have. */
  readonly marks: readonly string[]
  /** The header that its clients send their key in; `Authorization: Bearer` is always good. */
  readonly keyHeader: string | null
  /** A parameter that may hold it instead. */
  readonly keyParameter: string | null
  readonly idHeader: Front['idHeader']
  /** `pattern`: the row of the table of routes that the path of this request matches. */
  addressOf(request: IncomingMessage, pattern: string): Address
}

const PLAIN: Manner = {
  paths: [],
  models: null,
  constants: {},
  refused: {},
  below: [],
  version: null,
  marks: [],
  keyHeader: null,
  keyParameter: null,
  idHeader: null,
  addressOf: () => ({ model: null, stream: null }),
}

const NOT_COUNTED = 'Tokens are not counted here: no upstream is asked for that.'

const MANNERS: Partial<Record<WireName, Manner>> = {
  'openai-chat': { ...PLAIN, paths: ['/chat/completions'], below: ['/chat'] },
  'ollama-chat': {
    ...PLAIN,
    paths: ['/api/chat'],
    models: { list: '/api/tags', one: '/api/show' },
    // Clients compare the version with the first one that has what they need. Chats here are those of 0.12.11, which has
    // log probabilities. No model is ever loaded.
    constants: { '/api/version': { version: '0.12.11' }, '/api/ps': { models: [] } },
    below: ['/api'],
  },
  'anthropic-messages': {
    ...PLAIN,
    paths: ['/messages'],
    refused: { '/messages/count_tokens': NOT_COUNTED },
    below: ['/messages'],
    marks: ['anthropic-version', 'x-api-key'],
    keyHeader: 'x-api-key',
    idHeader: 'request-id',
  },
  'gemini-generate': {
    ...PLAIN,
    paths: [
      '/models/*:generateContent',
      '/models/*:streamGenerateContent',
      // Before a name with a slash some of Google's SDKs, and that of Vercel, write no "models/".
      '/*:generateContent',
      '/*:streamGenerateContent',
    ],
    refused: { '/models/*:countTokens': NOT_COUNTED, '/*:countTokens': NOT_COUNTED },
    below: ['/models/*:*', '/*:*'],
    version: 'v1beta',
    marks: ['x-goog-api-client', 'x-goog-api-key'],
    keyHeader: 'x-goog-api-key',
    keyParameter: 'key',
    addressOf: geminiAddress,
  },
}

/** `…<vendor>/<model>:streamGenerateContent?alt=sse`; without `alt` the stream is one JSON array. */
function geminiAddress(request: IncomingMessage, pattern: string): Address {
  const { name, method } = splitMethod(pathOf(request).slice(pattern.indexOf('*')))
  const model = decodePath(name)
  if (method !== 'streamGenerateContent') return { model, stream: false }
  return { model, stream: true, format: urlOf(request).searchParams.get('alt') === 'sse' ? 'sse' : 'array' }
}

// ---------------------------------------------------------------- the fronts

export interface WireRoutes extends Omit<Manner, 'addressOf' | 'idHeader'> {
  readonly name: WireName
  readonly client: Client
  /** Of who asks for something that no mount has. */
  readonly front: Front
  readonly frontOf: (mount: Pick<Mount, 'usage'>) => Front
}

/** The families whose clients are served: every wire that has a side for them, and a manner. */
const wireRoutes = (): readonly WireRoutes[] =>
  Object.values<Wire>(WIRES).flatMap(({ name, client }): readonly WireRoutes[] => {
    const manner = MANNERS[name]
    if (client === undefined || manner === undefined) return []
    const wire = { name, client }
    const [front, always] = [wireFront(wire, manner, {}), wireFront(wire, manner, ALWAYS_USAGE)]
    return [{ ...manner, name, client, front, frontOf: ({ usage }) => (usage === 'always' ? always : front) }]
  })

/** As if every client had asked for it. */
const ALWAYS_USAGE: JsonObject = { usage: true }

/** `settings` win over those of a request. */
const wireFront = (wire: ClientWire, manner: Manner, settings: JsonObject): Front => ({
  keyPlace: manner.keyHeader === null ? '"Authorization: Bearer <key>"' : `"${manner.keyHeader}: <key>"`,
  idHeader: manner.idHeader,
  keyOf: (request) => keyIn(request, manner) ?? bearerOf(request),
  errorBody: (error, requestId) => wire.client.encodeError(error, requestId),
  open: ({ request, entry }: Exchange) => success(toTalk(wire, manner.addressOf(request, entry.path ?? ''), settings)),
})

function keyIn(request: IncomingMessage, { keyHeader, keyParameter }: Manner): string | undefined {
  const sent = keyHeader === null ? undefined : request.headers[keyHeader]
  const given = keyParameter === null ? null : urlOf(request).searchParams.get(keyParameter)
  const [key] = [sent, given].filter(isText).map((text) => text.trim())
  return key === '' ? undefined : key
}

const toTalk = (wire: ClientWire, { format, ...address }: Address, fixed: JsonObject): Talk => ({
  name: wire.name,
  dialect: openai,
  modelOf: (body) => address.model ?? (isObject(body) && isText(body.model) ? body.model.trim() : null),
  read: (body, sealing) => readRequest(wire, address, body, sealing),
  voice: (options, settings) =>
    inWire({ ...options, to: wire, settings: { ...settings, ...fixed }, ...(format === undefined ? {} : { format }) }),
  toTell: success,
})

function* readRequest(
  { name, client }: ClientWire,
  address: Omit<Address, 'format'>,
  body: unknown,
  sealing: Sealing | null,
): Steps<Attempt<Heard>> {
  const decoded = yield* client.decodeSteps(isObject(body) ? (body as Record<string, Json>) : {}, {
    ...address,
    seal: sealing === null || sealing.origin.wire !== name ? null : sealWith(sealing),
  })
  if (!decoded.ok) return failure(decoded.error)
  const { stop, settings, losses } = decoded
  const toPlace = (path: string): string | null => toOwnPlace(path, client.places, decoded)
  yield
  const valid = yield* validateMadeSteps(decoded.body)
  if (!valid.ok) return failure(inPlace(valid.error, toPlace))
  const request = { ...valid.request, stop, needs_sources: client.showsSources === true }
  const places = { toolPlaces: toolPlaces(request), toOwnPlace: toPlace }
  return success({ request, losses, settings, sent: { wire: name, body }, ...places })
}

const sealWith =
  ({ origin, sign }: Sealing) =>
  (payload: Json): string =>
    sealReasoning(origin, payload, sign)

// ---------------------------------------------------------------- who asks

/** Made once: every mount has the same. */
export const WIRE_ROUTES = wireRoutes()

/** The family that a request to a path of several says it is of; undefined where it does not say. */
export const findFamily = (request: IncomingMessage): WireRoutes | undefined =>
  WIRE_ROUTES.find(
    ({ marks, keyParameter }) =>
      marks.some((name) => request.headers[name] !== undefined) ||
      (keyParameter !== null && urlOf(request).searchParams.has(keyParameter)),
  )
