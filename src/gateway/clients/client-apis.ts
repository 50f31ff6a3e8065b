import { readClientRequest } from '../../engine/client-request.ts'
import { type ClientWire, wireTarget } from '../../engine/client-target.ts'
import type { FormatName } from '../../framing/format.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { ok } from '../../protocol/result.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import type { ClientCodec, DecodeContext } from '../../wires/client-contract.ts'
import type { KnownWire, WireName } from '../../wires/contract.ts'
import { WIRES } from '../../wires/registry.ts'
import { bearerOf } from '../auth/auth.ts'
import type { Mount } from '../config/config.ts'
import type { RequestHead } from '../exchange/http-types.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { decodePath, pathOf, urlOf, withoutEmptySegments } from '../exchange/url.ts'
import type { ClientApi, RequestCodec } from './client-api.ts'
import { splitMethod } from './method-paths.ts'

/** Fields of a request that its URL contains. */
interface RequestTarget extends Pick<DecodeContext, 'model' | 'stream'> {
  readonly format?: FormatName
}

/** The HTTP differences between client APIs, beside the bodies of their requests. */
interface ClientApiSpec {
  /** Paths below the mount; `*` is any text. */
  readonly paths: readonly string[]
  /** The paths at which its clients list models and describe a single one; null: at `/models`, like all others. */
  readonly models: { readonly list: string; readonly one: string } | null
  /** Constant answers to GET, by path. They need no key. */
  readonly constants: Readonly<Record<string, JsonObject>>
  /** Paths at which its clients request a count of tokens. */
  readonly countPaths: readonly string[]
  /** Path prefixes that belong to this client API alone. A 404 below them uses its error format. */
  readonly ownedPaths: readonly string[]
  /**
   * The path segment that its clients use in place of `v1`; empty: none, their paths begin where `v1` would stand; null:
   * they use `v1`.
   */
  readonly version: string | null
  /** Headers that only its clients send. They identify the client API at a path that several have. */
  readonly identifyingHeaders: readonly string[]
  /** The header in which its clients send their key; `Authorization: Bearer` is always valid. */
  readonly keyHeader: string | null
  /** A query parameter that may contain the key instead. */
  readonly keyParameter: string | null
  readonly idHeader: ClientApi['idHeader']
  readonly isTypeOptional: boolean
  /** `pattern`: the row of the route table that matches the path of this request. */
  addressOf(request: RequestHead, pattern: string): RequestTarget
}

const PLAIN: ClientApiSpec = {
  paths: [],
  models: null,
  constants: {},
  countPaths: [],
  ownedPaths: [],
  version: null,
  identifyingHeaders: [],
  keyHeader: null,
  keyParameter: null,
  idHeader: null,
  isTypeOptional: false,
  addressOf: () => ({ model: null, stream: null }),
}

const CLIENT_API_SPECS: Partial<Record<WireName, ClientApiSpec>> = {
  'openai-chat': { ...PLAIN, paths: ['/chat/completions'], ownedPaths: ['/chat'] },
  'ollama-chat': {
    ...PLAIN,
    paths: ['/api/chat'],
    models: { list: '/api/tags', one: '/api/show' },
    // Clients compare the version with the first one that has a feature which they need. The chat API here is that of
    // 0.12.11, which has log probabilities. No model is ever loaded.
    constants: { '/api/version': { version: '0.12.11' }, '/api/ps': { models: [] } },
    ownedPaths: ['/api'],
    version: '',
    // Its documents call it by curl without a content type, and Ollama reads none.
    isTypeOptional: true,
  },
  'anthropic-messages': {
    ...PLAIN,
    paths: ['/messages'],
    countPaths: ['/messages/count_tokens'],
    ownedPaths: ['/messages'],
    identifyingHeaders: ['anthropic-version', 'x-api-key'],
    keyHeader: 'x-api-key',
    idHeader: 'request-id',
  },
  'gemini-generate': {
    ...PLAIN,
    paths: [
      '/models/*:generateContent',
      '/models/*:streamGenerateContent',
      // For a name with a slash, some SDKs of Google, and that of Vercel, leave out `models/`.
      '/*:generateContent',
      '/*:streamGenerateContent',
    ],
    countPaths: ['/models/*:countTokens', '/*:countTokens'],
    ownedPaths: ['/models/*:*', '/*:*'],
    version: 'v1beta',
    identifyingHeaders: ['x-goog-api-client', 'x-goog-api-key'],
    keyHeader: 'x-goog-api-key',
    keyParameter: 'key',
    addressOf: geminiAddress,
  },
  'gemini-interactions': {
    ...PLAIN,
    paths: ['/interactions'],
    ownedPaths: ['/interactions'],
    version: 'v1beta',
    identifyingHeaders: ['x-goog-api-client', 'x-goog-api-key'],
    keyHeader: 'x-goog-api-key',
    keyParameter: 'key',
  },
}

/** Reads `…<vendor>/<model>:streamGenerateContent?alt=sse`; without `alt` the stream is one JSON array. */
function geminiAddress(request: RequestHead, pattern: string): RequestTarget {
  const { name, method } = splitMethod(withoutEmptySegments(pathOf(request)).slice(pattern.indexOf('*')))
  const model = decodePath(name)
  if (method !== 'streamGenerateContent') return { model, stream: false }
  return { model, stream: true, format: urlOf(request).searchParams.get('alt') === 'sse' ? 'sse' : 'array' }
}

// ---------------------------------------------------------------- client APIs

export interface WireRoutes extends Omit<ClientApiSpec, 'addressOf' | 'idHeader' | 'isTypeOptional'> {
  readonly name: WireName
  readonly client: ClientCodec
  /** For requests to a path that belongs to no mount. */
  readonly api: ClientApi
  readonly apiOf: (mount: Pick<Mount, 'usage'>) => ClientApi
}

/** The supported client APIs: every wire that has a client side and an entry in `CLIENT_API_SPECS`. */
const wireRoutes = (): readonly WireRoutes[] =>
  Object.values<KnownWire>(WIRES).flatMap(({ name, client }): readonly WireRoutes[] => {
    const spec = CLIENT_API_SPECS[name]
    if (client === undefined || spec === undefined) return []
    const wire = { name, client }
    const [api, always] = [wireApi(wire, spec, {}), wireApi(wire, spec, ALWAYS_USAGE)]
    return [{ ...spec, name, client, api, apiOf: ({ usage }) => (usage === 'always' ? always : api) }]
  })

/** Settings of a request that asks for the usage. */
const ALWAYS_USAGE: JsonObject = { usage: true }

/** `settings` take precedence over those of a request. */
const wireApi = (wire: ClientWire, spec: ClientApiSpec, settings: JsonObject): ClientApi => ({
  keyPath: spec.keyHeader === null ? '"Authorization: Bearer <key>"' : `"${spec.keyHeader}: <key>"`,
  idHeader: spec.idHeader,
  isTypeOptional: spec.isTypeOptional,
  keyOf: (request) => keyIn(request, spec) ?? bearerOf(request),
  errorBody: (error, requestId) => wire.client.encodeError(error, requestId),
  open: ({ request, journal }: RequestContext) =>
    ok(toWireCodec(wire, spec.addressOf(request, journal.last('matched')?.path ?? ''), settings)),
})

function keyIn(request: RequestHead, { keyHeader, keyParameter }: ClientApiSpec): string | undefined {
  const sent = keyHeader === null ? undefined : request.headers[keyHeader]
  const given = keyParameter === null ? null : urlOf(request).searchParams.get(keyParameter)
  const [key] = [sent, given].filter(isNonEmptyString).map((text) => text.trim())
  return key === '' ? undefined : key
}

const toWireCodec = (wire: ClientWire, { format, ...address }: RequestTarget, fixed: JsonObject): RequestCodec => ({
  name: wire.name,
  wire: wire.name,
  modelOf: (body) => address.model ?? (isObject(body) && isNonEmptyString(body.model) ? body.model.trim() : null),
  read: (body, sealing, isFragment) => readClientRequest(body, { wire, sealing, isFragment, ...address }),
  target: ({ settings }) =>
    wireTarget(wire, { settings: { ...settings, ...fixed }, ...(format === undefined ? {} : { format }) }),
})

// ---------------------------------------------------------------- detection

/** Created once, because every mount has the same. */
export const WIRE_ROUTES = wireRoutes()

/** The client API that a request identifies by its headers or its key parameter; undefined if it identifies none. */
export const findFamily = (request: RequestHead): WireRoutes | undefined =>
  WIRE_ROUTES.find(
    ({ identifyingHeaders, keyParameter }) =>
      identifyingHeaders.some((name) => request.headers[name] !== undefined) ||
      (keyParameter !== null && urlOf(request).searchParams.has(keyParameter)),
  )
