import { trimSlashes } from '../../text/trim-slashes.ts'
import { WIRE_ROUTES } from '../clients/client-apis.ts'
import type { Mount } from '../config/config.ts'
import type { RequestHead } from '../exchange/http-types.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendText } from '../exchange/send.ts'
import type { Endpoint } from './refusals.ts'

/** Which pages of other origins a browser may let read the answers of a mount (WHATWG Fetch, 3.2). */
interface CorsPolicy {
  allows(origin: string): boolean
  /** True if every origin is allowed, so that answers do not depend on it. */
  readonly isOpen: boolean
  readonly credentials: boolean
  readonly maxAgeSeconds: number
}

/** Returns the policy of the mount that a path belongs to; null if pages of other origins may not read its responses. */
export type FindCors = (path: string) => CorsPolicy | null

/** The prefix of a version of a client API: beside a mount that ends in `v1`, else below it. */
export const versionBase = (base: string, version: string): string =>
  trimSlashes(`${base.replace(/\/v1$/, '')}/${version}`)

/** The parts of a client API that have paths. */
type PathsOfClient = Pick<(typeof WIRE_ROUTES)[number], 'paths' | 'countPaths' | 'models' | 'constants'>

/** The prefixes of a version that belong to its client API alone; without a version, those are its paths. */
export function ownedPrefixes(
  base: string,
  version: string,
  { paths, countPaths, models, constants }: PathsOfClient,
): readonly string[] {
  const start = versionBase(base, version)
  if (version !== '') return [start]
  const lists = models === null ? [] : [models.list, models.one]
  return [...paths, ...countPaths, ...lists, ...Object.keys(constants)].map((path) => start + path)
}

export function createCorsFinder(mounts: readonly Pick<Mount, 'path' | 'cors'>[]): FindCors {
  const bases = mounts.map(({ path, cors }) => ({ base: trimSlashes(path), policy: toPolicy(cors) }))
  const versions = bases.flatMap(({ base, policy }) =>
    WIRE_ROUTES.flatMap((routes) =>
      routes.version === null
        ? []
        : ownedPrefixes(base, routes.version, routes).map((prefix) => ({ base: prefix, policy })),
    ),
  )
  if (bases.every(({ policy }) => policy === null)) return () => null
  const longestFirst = [...bases, ...versions].sort((one, other) => other.base.length - one.base.length)
  return (path) => longestFirst.find(({ base }) => path === base || path.startsWith(`${base}/`))?.policy ?? null
}

function toPolicy(cors: Mount['cors']): CorsPolicy | null {
  if (cors === undefined) return null
  const origins = new Set(cors.origins.map((origin) => origin.toLowerCase()))
  const isOpen = origins.has('*')
  return {
    allows: (origin) => isOpen || origins.has(origin.toLowerCase()),
    isOpen,
    credentials: cors.credentials,
    maxAgeSeconds: cors.max_age_seconds,
  }
}

/**
 * The headers of answers that a page may read. Those of an upstream have names of their own (`x-upstream-…`); `*`
 * covers them where no credentials are sent.
 */
const EXPOSED: readonly string[] = [
  'request-id',
  'retry-after',
  'x-request-id',
  'x-responses-attempts',
  'x-responses-dialect',
  'x-responses-estimate',
  'x-responses-losses',
  'x-should-retry',
]

/** Adds the headers for a page of an allowed origin to the answer. */
export function applyCors(policy: CorsPolicy, { request, reply }: RequestContext): void {
  const { origin } = request.headers
  if (!policy.isOpen) reply.setHeader('vary', 'Origin')
  if (origin === undefined || !policy.allows(origin)) return
  reply.setHeader('access-control-allow-origin', policy.isOpen ? '*' : origin)
  reply.setHeader('access-control-expose-headers', [...EXPOSED, ...(policy.credentials ? [] : ['*'])].join(', '))
  if (policy.credentials) reply.setHeader('access-control-allow-credentials', 'true')
}

/** Whether a browser asks with this request if its page may send another one. */
export const isPreflight = ({ method, headers }: RequestHead): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** Names of headers, separated by commas. */
const NAMES = /^[\w!#$%&'*+.^`|~, \t-]*$/

/**
 * Answers the preflight of an allowed origin. It has no key, because browsers send none (WHATWG Fetch, 3.2.2). All
 * headers are allowed: `*` would not cover `Authorization`.
 */
export const answerPreflight =
  (policy: CorsPolicy, methods: readonly string[]): Endpoint =>
  (_, context) => {
    const asked = context.request.headers['access-control-request-headers']
    sendText(context, 200, '', 'text/plain', {
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': typeof asked === 'string' && NAMES.test(asked) ? asked : undefined,
      'access-control-max-age': policy.maxAgeSeconds,
    })
  }
