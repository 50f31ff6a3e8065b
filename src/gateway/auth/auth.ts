import { clientError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { fromHex, toHex } from '../../text/bytes.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import { describeValue } from '../../validation/messages.ts'
import type { Config, KeyEntry } from '../config/config.ts'
import { matchesName } from '../config/model-rules.ts'
import type { RequestHead } from '../exchange/http-types.ts'
import type { Hashes } from '../hashes.ts'
import type { RateLimit } from './token-bucket.ts'

export interface Key {
  readonly name: string
  readonly kind: KeyEntry['kind']
  readonly workspace: string | null
  /** Identifies the key in a store that several hosts share; their configurations may name it differently. */
  readonly id: string
  readonly rateLimit: RateLimit | null
  /** The patterns of the names that it may call; null: all. */
  readonly models: readonly string[] | null
  /** The value of the label `key` in metrics; null if it has none. */
  readonly label: string | null
  readonly hash: Uint8Array
  /** The key of a server without configured keys: new at each start, and valid on loopback only. */
  readonly isDevelopment: boolean
}

/** The keys in force: those of the configuration; if there are none, the development key. */
export function toKeys(
  { keys, rate_limit }: Pick<Config, 'keys' | 'rate_limit'>,
  developmentKey: string,
  hashes: Hashes,
): readonly Key[] {
  const standard = rate_limit.default ?? null
  if (keys.length > 0) return keys.map((entry) => toKey(entry, fromHex(entry.sha256), standard, hashes))
  const key = toKey({ name: 'development', kind: 'inference' }, hashes.sha256(developmentKey), standard, hashes)
  return [{ ...key, isDevelopment: true }]
}

const toKey = (
  { name, kind, workspace, models, label, rate_limit }: Omit<KeyEntry, 'sha256'>,
  hash: Uint8Array,
  standard: RateLimit | null,
  hashes: Hashes,
): Key => ({
  name,
  kind,
  workspace: workspace ?? null,
  hash,
  // The start of a digest of the digest: the shared store gets no value that would authenticate a request.
  id: toHex(hashes.sha256(hash)).slice(0, 32),
  rateLimit: rate_limit === undefined ? standard : rate_limit,
  models: models ?? null,
  label: label ?? null,
  isDevelopment: false,
})

const WRONG_KEY = err(
  clientError('invalid_api_key', 'The API key is not valid for this server. Check the key that the client sends.'),
)

/** The key of an Authorization header, or else of `api-key`, the header of clients that were made for Azure. */
export const bearerOf = ({ headers }: RequestHead): string | undefined => {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const other = bearer === undefined ? headers['api-key'] : undefined
  return bearer ?? (isNonEmptyString(other) ? other.trim() : undefined)
}

/** The part of a gateway that keys are compared with. */
export interface KeyRing {
  readonly keys: readonly Key[]
  readonly hashes: Hashes
}

const BEARER = '"Authorization: Bearer <key>"'

/**
 * Finds the key of a token. Compares the token with every key, each in constant time, so that the duration reveals
 * nothing. `header`: the expected header, for the message.
 */
export function authenticate({ keys, hashes }: KeyRing, token: string | undefined, header = BEARER): Result<Key> {
  if (token === undefined)
    return err(clientError('missing_authentication', `The API key is missing. Send the header ${header}.`))
  const digest = hashes.sha256(token)
  const [key] = keys.filter((candidate) => isEqual(candidate.hash, digest))
  return key === undefined ? WRONG_KEY : ok(key)
}

/** Compares every byte, so that the duration reveals nothing. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at += 1) difference |= (one[at] ?? 0) ^ (other[at] ?? 0)
  return difference === 0
}

const mayCall = ({ models }: Key, name: string): boolean =>
  models === null || models.some((pattern) => matchesName(pattern, name))

/**
 * The names of a list that the key may call. A listed pattern (`acme/*`, for a vendor without a list) stands for any of
 * its names, of which the key has its own patterns.
 */
export function callable(key: Key, names: readonly string[]): readonly string[] {
  const own = (key.models ?? []).filter((pattern) => names.some((name) => matchesName(name, pattern)))
  return [...new Set([...names.filter((name) => mayCall(key, name)), ...own])]
}

/** A model that the key may not call is to its client as one that this server does not have. */
export const requireModel = (key: Key, name: string): Result<null> =>
  mayCall(key, name)
    ? ok(null)
    : err(clientError('model_not_found', `model: this API key may not call ${describeValue(name)}`, 'model', 404))

/**
 * Members in which a request names further models, for its upstream to choose from: lists (OpenRouter, Anthropic),
 * presets, options of providers, plugins and tools of vendors that are gateways themselves. Their names are many and
 * grow, and some vendors read them in any case.
 */
const NAMES_MODELS = /model|preset|fallback/i

/** The conversation, and texts and schemas of the client, in which such names have no meaning. */
const CONTENTS: ReadonlySet<string> = new Set([
  ...['input', 'messages', 'contents', 'system', 'systemInstruction', 'system_instruction', 'instructions', 'metadata'],
  ...['response_format', 'text', 'format', 'responseSchema', 'responseJsonSchema', 'output_config', 'prompt'],
])
const SCHEMAS: ReadonlySet<string> = new Set([
  ...['parameters', 'input_schema', 'parametersJsonSchema', 'parameters_json_schema', 'output_schema', 'response'],
])

/** Tools that the client defines; the parameters of others are settings of their vendor. */
const OWN_TOOLS: ReadonlySet<unknown> = new Set([undefined, 'function', 'custom', 'namespace'])

/** Members of a tool that have the functions of the client. */
const FUNCTIONS: ReadonlySet<string> = new Set(['function', 'functionDeclarations', 'function_declarations', 'tools'])

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

/** The path of the first member that names further models; null if there is none. */
function namedModels(value: unknown, path: string, isTool: boolean): string | null {
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) {
      const found = namedModels(one, `${path}[${at}]`, isTool)
      if (found !== null) return found
    }
    return null
  }
  if (!isObject(value)) return null
  const isTop = path === ''
  const hasSchemas = isTool && OWN_TOOLS.has(value.type)
  for (const [name, inner] of Object.entries(value)) {
    if (isTop ? name === 'model' || CONTENTS.has(name) : hasSchemas && SCHEMAS.has(name)) continue
    const here = isTop ? name : `${path}.${name}`
    if (NAMES_MODELS.test(name) && !isEmpty(inner)) return here
    const found = namedModels(inner, here, (isTop && name === 'tools') || (hasSchemas && FUNCTIONS.has(name)))
    if (found !== null) return found
  }
  return null
}

/** A key for certain models cannot call others by members that its upstream reads itself. */
export function requireNoFurther({ models }: Key, body: unknown): Result<null> {
  const param = models === null ? null : namedModels(body, '', false)
  if (param === null) return ok(null)
  return err(
    clientError('model_not_found', `${param}: this API key may call the model of the request only`, param, 404),
  )
}

/** Management keys read and change settings; they cannot send requests to models. */
export const requireKind = (key: Key, kind: Key['kind']): Result<Key> =>
  key.kind === kind
    ? ok(key)
    : err(clientError('wrong_key_kind', `This path requires a key of kind "${kind}", got a key of kind "${key.kind}".`))
