import { hash } from 'node:crypto'
import type { JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { findVendor, VENDOR_NAMES } from '../../vendors/registry.ts'
import type { WireName } from '../../wires/contract.ts'
import type { Source } from './source.ts'

/** A secret as the configuration has it. */
export type ImportedSecret = string | { readonly env: string }

/** One upstream, as the members of an entry of `vendors`. */
export interface ImportedUpstream {
  /** The known vendor whose row fills in the rest; null: none. */
  readonly row: string | null
  readonly wire?: WireName
  readonly base_url?: string
  readonly key?: ImportedSecret
  readonly aws?: Readonly<Record<string, ImportedSecret>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: JsonObject
}

/** A model of an upstream. */
export interface ImportedTarget {
  readonly upstream: ImportedUpstream
  readonly model: string
  /** Its share among targets that take turns; null: none is set. */
  readonly weight: number | null
  /** The name of the upstream in the imported file. */
  readonly label: string
}

/** Reasons that several gateways share. */
export const NO_AZURE_VERSION = 'the address /openai/v1 of Azure has no version'
export const VERTEX_KEY = 'the key is an access token: VERTEX_ACCESS_TOKEN, or vendors.NAME.key'

/** The bounds of the configuration. */
const MOST_ROUTES = 16
const MOST_MEMBERS = 64
const WEIGHTS = { least: 0.001, most: 1000 } as const

export interface BuiltVendors {
  /** The routes of targets of which one after another is called. */
  routesOf(targets: readonly ImportedTarget[]): readonly string[]
  /** The route of targets that take turns; null if their upstreams are no members of one pool. */
  poolOf(targets: readonly ImportedTarget[], label: string): string | null
  /** Adds an upstream that no route names, and returns its name. */
  add(upstream: ImportedUpstream, label: string): string
  /** The member `vendors` of the configuration. */
  entries(): JsonObject
}

/** Collects the entries of `vendors`. Equal upstreams are one entry. */
export function buildVendors(): BuiltVendors {
  const entries = new Map<string, JsonObject>()
  const names = new Map<string, string>()

  const enter = (entry: JsonObject, row: string | null, label: string): string => {
    const known = names.get(JSON.stringify([row, entry]))
    if (known !== undefined) return known
    const name = freeName(label, row, (taken) => entries.has(taken))
    entries.set(name, { ...(row === null || row === name ? {} : { vendor: row }), ...entry })
    names.set(JSON.stringify([row, entry]), name)
    return name
  }
  const add = (imported: ImportedUpstream, label: string): string => {
    const upstream = withoutPassword(imported)
    const { row, ...entry } = upstream
    return row !== null && isOwnRow(upstream) ? row : enter(entry as JsonObject, row, label)
  }
  return {
    add,
    routesOf: (targets) => [
      ...new Set(targets.map(({ upstream, model, label }) => `${add(upstream, label)}/${model}`)),
    ],
    poolOf(targets, label) {
      const [first] = targets
      if (first === undefined || targets.length > MOST_MEMBERS || !targets.every((one) => isOfPool(one, first)))
        return null
      const { row, wire, body } = first.upstream
      const pool = targets.map(({ upstream, weight }) => ({
        ...memberOf(withoutPassword(upstream)),
        ...(weight === null ? {} : { weight: Math.min(Math.max(weight, WEIGHTS.least), WEIGHTS.most) }),
      }))
      return `${enter({ ...optional({ wire, body }), pool } as unknown as JsonObject, row, label)}/${first.model}`
    },
    entries: () => Object.fromEntries(entries),
  }
}

const memberOf = ({ key, base_url, aws, headers }: ImportedUpstream): Readonly<Record<string, unknown>> =>
  optional({ key, base_url, aws, headers })

const optional = (members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** Members of a pool differ in address, key and headers only. */
const isOfPool = ({ upstream, model }: ImportedTarget, first: ImportedTarget): boolean =>
  upstream.row === first.upstream.row &&
  upstream.wire === first.upstream.wire &&
  model === first.model &&
  JSON.stringify(upstream.body) === JSON.stringify(first.upstream.body)

/** Whether the row of the vendor has all of it: such a vendor needs no entry. */
function isOwnRow({ row, key, ...rest }: ImportedUpstream): boolean {
  const vendor = row === null ? undefined : findVendor(row)
  if (vendor === undefined || vendor.baseUrl === null || vendor.keyVariable === null) return false
  if (Object.values(optional(rest)).length > 0) return false
  return key === undefined || (typeof key === 'object' && key.env === vendor.keyVariable)
}

/** A name of the configuration. That of a known vendor would inherit its row. */
function freeName(label: string, row: string | null, isTaken: (name: string) => boolean): string {
  const base = nameOf(label)
  const isFree = (name: string): boolean => !isTaken(name) && name !== 'replay' && (name === row || !isKnown(name))
  const candidates = [base, `${base}-upstream`]
  for (let number = 2; ; number += 1) {
    const free = candidates.find(isFree)
    if (free !== undefined) return free
    candidates.push(`${base}-${number}`)
  }
}

const isKnown = (name: string): boolean => VENDOR_NAMES.includes(name)

/** Lower-case letters, digits and `. _ -`. */
const nameOf = (label: string): string =>
  label
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .replace(/-$/, '') || 'upstream'

/** The entry of a client's key, of which the configuration has only the hash. */
export const toKeyEntry = (name: string, key: string): JsonObject => ({ name, sha256: hash('sha256', key) })

/** A text of another file in the configuration, where `${` begins a variable. */
export const escaped = (text: string): string => text.replaceAll('${', () => '$${')

/** The same for all texts in a value. */
export function escapedIn(value: unknown): unknown {
  if (typeof value === 'string') return escaped(value)
  if (Array.isArray(value)) return value.map(escapedIn)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [escaped(name), escapedIn(inner)]))
}

/** The configuration refuses a name and a password in an address: they are the header that they stand for. */
function withoutPassword(upstream: ImportedUpstream): ImportedUpstream {
  const { base_url, headers } = upstream
  const [, scheme, user, rest] = base_url === undefined ? [] : (WITH_USER.exec(base_url) ?? [])
  if (user === undefined) return upstream
  const authorization = `Basic ${Buffer.from(decoded(user)).toString('base64')}`
  return { ...upstream, base_url: `${scheme}${rest}`, headers: { authorization, ...headers } }
}

const WITH_USER = /^(https?:\/\/)([^/@?#]+)@(.*)$/i

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A rule within its bound; the routes beyond it are named. */
export function toRule(match: string, routes: readonly string[], source: Source): JsonObject {
  const to = [...new Set(routes)]
  if (to.length > MOST_ROUTES)
    source.note(
      `the rule for ${match} has its first ${MOST_ROUTES} routes, without ${to.slice(MOST_ROUTES).join(', ')}`,
    )
  return { match, to: to.slice(0, MOST_ROUTES) }
}

const MOST_ATTEMPTS = 10

/** The attempts of so many retries, which the source has. */
export function attemptsOf(retries: number, source: Source): number {
  const attempts = Math.max(Math.trunc(retries), 0) + 1
  if (attempts > MOST_ATTEMPTS) source.note(`at most ${MOST_ATTEMPTS} attempts: retry.attempts`)
  return Math.min(attempts, MOST_ATTEMPTS)
}

/** The equivalent of a time-out of a whole request. */
export const FIRST_BYTE = 'the time until the first byte: timeouts.first_byte_seconds'

const MOST_SECONDS = 86_400

/** A time-out that the configuration accepts. */
export const secondsOf = (seconds: number): number => Math.min(Math.max(seconds, 0.001), MOST_SECONDS)
