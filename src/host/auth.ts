import { createHash, timingSafeEqual } from 'node:crypto'
import { clientError } from '../protocol/error.ts'
import { type Attempt, failure, success } from './attempt.ts'
import type { KeyEntry } from './config.ts'

/** For a server without configuration: printed when it starts, good on loopback only. */
export const DEVELOPMENT_KEY = 'millrace-dev-key'

export interface Key {
  readonly name: string
  readonly kind: KeyEntry['kind']
  readonly workspace: string | null
  readonly hash: Buffer
}

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()
const DEVELOPMENT_HASH = hashOf(DEVELOPMENT_KEY)

/** The keys in force: those of the configuration, or where there are none the development key. */
export function toKeys(entries: readonly KeyEntry[]): readonly Key[] {
  if (entries.length === 0) {
    return [{ name: 'development', kind: 'inference', workspace: null, hash: DEVELOPMENT_HASH }]
  }
  return entries.map(({ name, kind, workspace = null, sha256 }) => ({
    name,
    kind,
    workspace,
    hash: Buffer.from(sha256, 'hex'),
  }))
}

/** Everybody knows it, configured or not. */
export const isDevelopmentKey = ({ hash }: Key): boolean => hash.equals(DEVELOPMENT_HASH)

const NO_KEY = failure(clientError('missing_authentication', 'The header "Authorization: Bearer <key>" is missing.'))
const WRONG_KEY = failure(clientError('invalid_api_key', 'This key is not known here.'))

/** The key that an Authorization header presents. Every key is compared, and in constant time, whichever it is. */
export function authenticate(keys: readonly Key[], header: string | undefined): Attempt<Key> {
  const token = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  if (token === undefined) return NO_KEY
  const hash = hashOf(token)
  const [key] = keys.filter((candidate) => timingSafeEqual(candidate.hash, hash))
  return key === undefined ? WRONG_KEY : success(key)
}

/** Management keys read and change settings; they cannot spend. */
export const requireKind = (key: Key, kind: Key['kind']): Attempt<Key> =>
  key.kind === kind
    ? success(key)
    : failure(clientError('wrong_key_kind', `This needs a key of kind "${kind}"; this one is "${key.kind}".`))
