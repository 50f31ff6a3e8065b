import { maskSecret } from '../../observability/mask.ts'
import { maskKeys } from '../../observability/mask-keys.ts'
import { authenticate, type KeyRing } from '../auth/auth.ts'
import type { RequestHead } from '../exchange/http-types.ts'
import { pathOf } from '../exchange/url.ts'

/** Characters of a path in the log, and those that are read for it. */
const LONGEST = 200
const READ = 1024

/** An escape of a visible ASCII character may be escaped itself; a further one is not worth a search. */
const ESCAPED = 3

/** Names of endpoints, models and versions have no word of this length with digits but without a dash or a point. */
const TOKEN = /\w{24,}/g

/**
 * The path of a request that belongs to no route, for the log: a wrong base URL shows in it. It has no query, no key,
 * and only visible ASCII characters; all others stay percent-encoded, or become it.
 */
export function loggedPath(request: RequestHead, ring: KeyRing): string {
  const path = pathOf(request).split('#', 1)[0] ?? ''
  let shown = path.slice(0, READ)
  for (let round = 0; round < ESCAPED; round += 1) shown = shown.replace(/%([2-7][\da-f])/gi, decodeVisible)
  const masked = maskKeys(maskOwn(shown, ring)).replace(TOKEN, (word) => (/\d/.test(word) ? maskSecret(word) : word))
  const plain = masked.replace(/[^!-~]/g, escapeUnit)
  return plain.length > LONGEST || path.length > READ ? `${plain.slice(0, LONGEST)}…` : plain
}

/** Node gives each byte of a path as one unit. */
const escapeUnit = (unit: string): string => `%${unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

const decodeVisible = (escaped: string, digits: string): string => {
  const code = Number.parseInt(digits, 16)
  return code === 0x7f ? escaped : String.fromCharCode(code)
}

/** A shorter word is no key of this server that anyone had to guess. */
const SHORTEST_KEY = 8

/** Masks the keys of this server, which may have any form. */
const maskOwn = (path: string, ring: KeyRing): string =>
  path
    .split('/')
    .map((word) => (word.length >= SHORTEST_KEY && authenticate(ring, word).ok ? maskSecret(word) : word))
    .join('/')
