import { createHash, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { clientError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { Config, KeyEntry } from '../config/config.ts'
import type { RateLimit } from './token-bucket.ts'

export interface Key {
  readonly name: string
  readonly kind: KeyEntry['kind']
  readonly workspace: string | null
  /** Identifies the key in a store that several hosts share; their configurations may name it differently. */
  readonly id: string
  readonly rateLimit: RateLimit | null
  readonly hash: Buffer
  /** The key of a server without configured keys: new at each start, and valid on loopback only. */
  readonly isDevelopment: boolean
}

const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer')

/** The keys in force: those of the configuration; if there are none, the development key. */
export function toKeys(
  { keys, rate_limit }: Pick<Config, 'keys' | 'rate_limit'>,
  developmentKey: string,
): readonly Key[] {
  const standard = rate_limit.default ?? null
  if (keys.length > 0) return keys.map((entry) => toKey(entry, Buffer.from(entry.sha256, 'hex'), standard))
  const key = toKey({ name: 'development', kind: 'inference' }, hashOf(developmentKey), standard)
  return [{ ...key, isDevelopment: true }]
}

const toKey = (
  { name, kind, workspace, rate_limit }: Omit<KeyEntry, 'sha256'>,
  hash: Buffer,
  standard: RateLimit | null,
): Key => ({
  name,
  kind,
  workspace: workspace ?? null,
  hash,
  // The start of a digest of the digest: the shared store gets no value that would authenticate a request.
  id: createHash('sha256').update(hash).digest('hex').slice(0, 32),
  rateLimit: rate_limit === undefined ? standard : rate_limit,
  isDevelopment: false,
})

const WRONG_KEY = err(
  clientError('invalid_api_key', 'The API key is not valid for this server. Check the key that the client sends.'),
)

/** The key of an Authorization header. */
export const bearerOf = ({ headers }: IncomingMessage): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]

const BEARER = '"Authorization: Bearer <key>"'

/**
 * Finds the key of a token. Compares the token with every key, each in constant time, so that the duration reveals
 * nothing. `header`: the expected header, for the message.
 */
export function authenticate(keys: readonly Key[], token: string | undefined, header = BEARER): Result<Key> {
  if (token === undefined)
    return err(clientError('missing_authentication', `The API key is missing. Send the header ${header}.`))
  const digest = hashOf(token)
  const [key] = keys.filter((candidate) => timingSafeEqual(candidate.hash, digest))
  return key === undefined ? WRONG_KEY : ok(key)
}

/** Management keys read and change settings; they cannot send requests to models. */
export const requireKind = (key: Key, kind: Key['kind']): Result<Key> =>
  key.kind === kind
    ? ok(key)
    : err(clientError('wrong_key_kind', `This path requires a key of kind "${kind}", got a key of kind "${key.kind}".`))
