import { namedUpstream } from '../../api/named-upstream.ts'
import type { OwnVendor } from '../../api/names.ts'
import type { BodyEdits } from '../../engine/call/body-edits.ts'
import { hash32 } from '../../text/hash.ts'
import { findVendor, VENDOR_NAMES } from '../../vendors/registry.ts'
import { quirksOfRow, type Vendor } from '../../vendors/vendor.ts'
import type { CachePolicy, Wire } from '../../wires/contract.ts'
import { findWire } from '../../wires/find-wire.ts'
import { type Redact, redactor } from '../../wires/redact.ts'
import { WIRES } from '../../wires/registry.ts'
import { secretsIn } from '../auth/upstream-secrets.ts'
import type { Config, MemberEntry, VendorEntry } from '../config/config.ts'
import { toLowerCaseNames } from '../config/header-values.ts'
import { isLocal } from '../config/listening.ts'
import { checkedKey, type Env, readSecret, readVariable } from '../config/secrets.ts'
import type { Hashes } from '../hashes.ts'
import { type AwsCredentials, credentialsIn, regionIn, signedTransport } from '../upstream/aws.ts'
import type { VendorIdentity } from '../upstream/restriction-memory.ts'
import type { Transport } from '../upstream/transport.ts'
import { type AccountWire, furtherWireOf, wiresOf } from './other-wires.ts'

/** A vendor of this server: where its requests go, and with which key, headers and quirks. */
export interface VendorAccount {
  readonly name: string
  readonly wire: Wire
  readonly quirks: Vendor['quirks']
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly key: string | null
  /** Whether its vendor refuses requests without a key. */
  readonly needsKey: boolean
  readonly bodyEdits: BodyEdits
  /** Whether bodies of clients of the same protocol are passed through. */
  readonly passthrough: boolean
  /** Whether it receives the trace of a client's request. */
  readonly traces: boolean
  /** Whether refusals of its models are read. */
  readonly learns: boolean
  /** The cache breakpoints that its models receive. */
  readonly cache: CachePolicy
  /** Removes the secrets of this account from messages of its upstream. */
  readonly redact: Redact
  /** Changes with the secrets and the addresses of this account, and of all accounts of its vendor. */
  readonly identity: VendorIdentity
  readonly source: Transport
  /** The same vendor on its further wires. Their accounts have no others. */
  readonly others: ReadonlyMap<string, VendorAccount>
  /** Its name in the pool of its vendor; null if it is no member of a pool. */
  readonly member: string | null
  /** As `Origin.boundary`; null if the vendor has one account. */
  readonly boundary: string | null
  /** The members that serve its requests; its own address and key are those of the first one. Null: no pool. */
  readonly pool: Pool | null
}

/** Keys, regions or deployments of one vendor, which are equal but for their weights. */
export interface Pool {
  readonly members: readonly PoolMember[]
  /** Whether the requests of one conversation prefer the same member. */
  readonly affinity: boolean
  /** Whether members, also those that are taken out now, cannot read each other's reasoning. */
  readonly hasSeveralIssuers: boolean
}

export interface PoolMember {
  readonly name: string
  readonly weight: number
  /** Undefined: it serves all models. */
  readonly models: MemberEntry['models']
  readonly account: VendorAccount
}

/** The vendors of this server by name: those of the table whose key is set, and those of the configuration. */
export const toAccounts = (config: Config, outside: Outside): ReadonlyMap<string, VendorAccount> =>
  new Map([...tableAccounts(outside), ...ownAccounts(outside), ...configAccounts(config, outside)])

type Named = readonly [name: string, account: VendorAccount]

/** The sources of accounts besides the configuration. */
export interface Outside {
  readonly env: Env
  readonly source: Transport
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly hashes: Hashes
  /** Those of the program. Left out: none. */
  readonly vendors?: readonly OwnVendor[] | undefined
}

/** A vendor without a key variable, or without a base URL of its own, must be named in the configuration. */
const tableAccounts = (outside: Outside): readonly Named[] =>
  VENDOR_NAMES.flatMap((name): readonly Named[] => {
    const row = findVendor(name)
    const read = reader(outside.env)
    if (row === undefined || row.baseUrl === null || row.keyVariable === null) return []
    const baseUrl = inRegion(row.baseUrl, regionIn(read))
    const key = readKey(outside.env, row.keyVariable)
    const source = key === null ? sign(row, regionIn(read), credentialsIn(read), outside) : outside.source
    if (baseUrl === null || source === null) return []
    const { quirks, headers = {} } = row
    const credentials = key === null ? credentialsIn(read) : null
    const secrets = secretsIn({ key, credentials, baseUrl })
    const redact = redactor(secrets)
    const own = {
      name,
      wire: WIRES[row.wire],
      quirks,
      baseUrl,
      headers,
      key,
      needsKey: true,
      bodyEdits: {},
      passthrough: true,
      traces: false,
      learns: true,
      cache: 'auto' as const,
      redact,
      identity: identityOf({ baseUrl, headers }, secrets),
      source,
      member: null,
      boundary: null,
      pool: null,
    }
    return [[name, { ...own, others: accountsOn(wiresOf(row), ({ isOwn: _, ...other }) => ({ ...own, ...other })) }]]
  })

/** The vendors of the program. Throws a TypeError for one without a wire or a base URL. */
const ownAccounts = ({ env, source, vendors = [] }: Outside): readonly Named[] =>
  vendors.map((vendor): Named => {
    const { wire, baseUrl, quirks = {}, headers = {}, keyVariable = '' } = namedUpstream({ vendor })
    const key = readKey(env, keyVariable)
    const secrets = secretsIn({ key, headers, baseUrl })
    return [
      vendor.name,
      {
        name: vendor.name,
        wire,
        quirks,
        baseUrl,
        headers: toLowerCaseNames(headers),
        key,
        needsKey: keyVariable !== '',
        bodyEdits: {},
        passthrough: true,
        learns: true,
        traces: false,
        cache: 'auto',
        redact: redactor(secrets),
        identity: identityOf({ baseUrl, headers }, secrets),
        source,
        others: new Map(),
        member: null,
        boundary: null,
        pool: null,
      },
    ]
  })

/** `toOwn`: the account on this wire, without others. */
const accountsOn = (
  wires: readonly AccountWire[],
  toOwn: (wire: AccountWire) => Omit<VendorAccount, 'others'>,
): VendorAccount['others'] => new Map(wires.map((wire) => [wire.wire.name, { ...toOwn(wire), others: new Map() }]))

/** Returns null if the base URL needs a region and none is set. */
const inRegion = (baseUrl: string, region: string): string | null =>
  region === '' && baseUrl.includes('{region}') ? null : baseUrl.replace('{region}', region)

/**
 * A source that signs calls for this vendor; null if the vendor needs no signature, or credentials or region are
 * missing.
 */
function sign(
  row: Vendor | undefined,
  region: string,
  credentials: AwsCredentials | null,
  { source, clock, hashes }: Outside,
): Transport | null {
  const service = row?.awsService
  if (service === undefined || credentials === null || region === '') return null
  return signedTransport(source, { credentials, region, service }, { clock, hashes })
}

const configAccounts = (config: Config, outside: Outside): readonly Named[] =>
  Object.entries(config.vendors).map(([name, entry]) => [name, toAccount(name, entry, outside)])

function toAccount(name: string, entry: VendorEntry, outside: Outside): VendorAccount {
  const { pool: entries, affinity } = entry
  if (entries === undefined) {
    const { secrets, ...account } = toUnmasked(name, entry, outside, (field) => `vendors.${name}.${field}`)
    return masked(account, { redact: redactor(secrets), identity: identityOf(account, secrets), member: null })
  }
  const built = entries.flatMap((member, index) => {
    if (!member.enabled) return []
    const placeOf: PlaceOf = (field) =>
      `vendors.${name}${member[field] === undefined ? '' : `.pool[${index}]`}.${field}`
    const { secrets, ...account } = toUnmasked(name, entryOf(entry, member), outside, placeOf)
    return [{ name: memberName(member, index), weight: member.weight, models: member.models, secrets, account }]
  })
  const redact = redactor([...new Set(built.flatMap(({ secrets }) => secrets))])
  const all = built.map(({ account: { baseUrl, headers }, secrets }) => [baseUrl, headers, secrets])
  const members = built.map(({ secrets, account, ...member }) => {
    const identity = identityOf(account, secrets, all)
    return { ...member, account: masked(account, { redact, identity, member: member.name }) }
  })
  const issuers = entries.map(
    (member, index) => entryOf(entry, member).organization ?? boundaryOf(memberName(member, index)),
  )
  return pooled({ members, affinity, hasSeveralIssuers: new Set(issuers).size > 1 })
}

/** The name of a member in logs and metrics: its own, or its place in the list. */
const memberName = ({ name }: Pick<MemberEntry, 'name'>, index: number): string => name ?? String(index)

/** The name of an organization is not that of a member by chance. */
const boundaryOf = (member: string): string => `@${member}`

/** The settings of a member. Its headers and its AWS settings are added to those of its vendor. */
const entryOf = (
  entry: VendorEntry,
  { key, base_url, headers, aws, organization = entry.organization }: MemberEntry,
): VendorEntry => ({
  ...entry,
  ...(key === undefined ? {} : { key }),
  ...(base_url === undefined ? {} : { base_url }),
  ...(headers === undefined ? {} : { headers: { ...entry.headers, ...headers } }),
  ...(aws === undefined ? {} : { aws: { ...entry.aws, ...aws } }),
  ...(organization === undefined ? {} : { organization }),
})

/** The place of a setting in the configuration, for messages. */
type PlaceOf = (field: 'key' | 'aws') => string

/** A hash, so that memories keep no secrets. */
function hashOf(parts: unknown): string {
  const text = JSON.stringify(parts)
  return `${hash32(text)}-${hash32(text, 1)}`
}

type Sent = Pick<VendorAccount, 'baseUrl' | 'headers'>

/** `others`: of the further members of the pool. */
function identityOf({ baseUrl, headers }: Sent, secrets: readonly string[], others: unknown = null): VendorIdentity {
  const account = hashOf([baseUrl, headers, secrets])
  return { account, vendor: others === null ? account : hashOf(others) }
}

type Unmasked = Omit<VendorAccount, 'redact' | 'identity' | 'member' | 'pool' | 'others'> & {
  readonly others: ReadonlyMap<string, Omit<Unmasked, 'others'>>
}

const masked = (
  { others, ...account }: Unmasked,
  given: Pick<VendorAccount, 'redact' | 'identity' | 'member'>,
): VendorAccount => {
  const boundary = account.boundary ?? (given.member === null ? null : boundaryOf(given.member))
  const own = { ...given, boundary, pool: null }
  const further = [...others].map(([wire, other]): [string, VendorAccount] => [
    wire,
    { ...other, ...own, others: new Map() },
  ])
  return { ...account, ...own, others: new Map(further) }
}

/** One account for all members. A further wire is served if each of them has it. */
function pooled(pool: Pool): VendorAccount {
  const { members } = pool
  const [first] = members
  if (first === undefined) throw new Error('a pool without members')
  const onWire = (wire: string): VendorAccount[] => members.flatMap(({ account }) => account.others.get(wire) ?? [])
  const others = [...first.account.others].flatMap(([wire, other]): [string, VendorAccount][] => {
    const accounts = onWire(wire)
    if (accounts.length < members.length) return []
    const served = members.map((member, at) => ({ ...member, account: accounts[at] ?? other }))
    return [[wire, { ...other, member: null, pool: { ...pool, members: served } }]]
  })
  return { ...first.account, member: null, others: new Map(others), pool }
}

function toUnmasked(
  name: string,
  entry: VendorEntry,
  outside: Outside,
  placeOf: PlaceOf,
): Unmasked & { readonly secrets: readonly string[] } {
  const { env } = outside
  const row = findVendor(entry.vendor ?? name)
  const wire = findWire(entry.wire ?? row?.wire ?? '')
  const region = entry.aws?.region ?? regionIn(reader(env))
  const further = furtherWireOf(row, entry)
  const url = entry.base_url ?? (further ?? row)?.baseUrl ?? null
  if (wire === undefined || url === null) throw new Error(`vendors.${name}: expected a wire and a base URL`)
  const baseUrl = inRegion(url, region)
  const credentials = row?.awsService === undefined ? null : readCredentials(entry, env, placeOf)
  if (baseUrl === null || (credentials !== null && region === '')) {
    throw new Error(`${placeOf('aws')}.region: the region is missing. Set it, or the environment variable AWS_REGION`)
  }
  // The row's key variable applies to the row's base URL, and to the account's base URL if the row has none. Any other
  // base URL gets only a key that the configuration names for it, so that a key never reaches a foreign server.
  const isItsOwn = entry.base_url === undefined || row?.baseUrl === null
  const defaultKey = isItsOwn ? readKey(env, row?.keyVariable ?? '') : null
  const path = placeOf('key')
  const key = entry.key === undefined ? defaultKey : checkedKey(readSecret(entry.key, path, env), path)
  const quirks = withoutUndefined(entry.quirks ?? {})
  const others = wiresOf(row, entry)
  const secrets = others.flatMap((other) => secretsIn({ key: null, baseUrl: other.baseUrl }))
  const own = {
    name,
    wire,
    baseUrl,
    quirks: { ...(further?.quirks ?? (row === undefined ? {} : quirksOfRow(row, wire.name))), ...quirks },
    headers: toLowerCaseNames({ ...row?.headers, ...entry.headers }),
    key,
    needsKey: (row?.keyVariable ?? null) !== null,
    bodyEdits: { body: entry.body ?? {}, pass: entry.pass ?? [] },
    passthrough: entry.passthrough,
    traces: entry.traceparent,
    learns: entry.learn,
    cache: entry.cache,
    boundary: entry.organization ?? null,
    source: key === null ? (sign(row, region, credentials, outside) ?? outside.source) : outside.source,
  }
  const onOthers = others.map(({ wire, baseUrl, quirks: known, isOwn }) => {
    const sent = isOwn || entry.key !== undefined || row?.baseUrl === null ? key : null
    return [wire.name, { ...own, wire, baseUrl, quirks: { ...known, ...quirks }, key: sent }] as const
  })
  return {
    ...own,
    others: new Map(onOthers),
    secrets: [...secretsIn({ key, credentials, headers: entry.headers ?? {}, baseUrl }), ...secrets],
  }
}

/** Returns the key in a variable; null if it is not set. */
const readKey = (env: Env, variable: string): string | null => {
  const key = readVariable(env, variable)
  return key === '' ? null : checkedKey(key, variable)
}

/** As with keys, another base URL gets only credentials that the configuration names for it. */
function readCredentials({ aws, base_url }: VendorEntry, env: Env, placeOf: PlaceOf): AwsCredentials | null {
  if (aws?.access_key_id === undefined || aws.secret_access_key === undefined) {
    return base_url === undefined ? credentialsIn(reader(env)) : null
  }
  const read = (field: 'access_key_id' | 'secret_access_key' | 'session_token'): string | null => {
    const secret = aws[field]
    return secret === undefined ? null : readSecret(secret, `${placeOf('aws')}.${field}`, env)
  }
  return {
    accessKeyId: read('access_key_id') ?? '',
    secretAccessKey: read('secret_access_key') ?? '',
    sessionToken: read('session_token'),
  }
}

const withoutUndefined = (quirks: NonNullable<VendorEntry['quirks']>): Vendor['quirks'] =>
  Object.fromEntries(Object.entries(quirks).filter(([, value]) => value !== undefined))

const reader =
  (env: Env) =>
  (name: string): string =>
    readVariable(env, name)

/**
 * Whether a server is one of a developer: only its machine reaches it, and no vendor has a key. Every other server has
 * real clients, who must not take a recording for an answer. `http`: the source of accounts that sign nothing.
 */
export const isInDevelopment = (
  { listen }: Pick<Config, 'listen'>,
  accounts: ReadonlyMap<string, VendorAccount>,
  http: Transport,
): boolean => isLocal(listen) && ![...accounts.values()].some((account) => hasKey(account, http))

/** Whether a vendor, or a member of its pool, has a key or signs its requests. */
const hasKey = ({ key, source, pool }: VendorAccount, http: Transport): boolean =>
  key !== null || source !== http || (pool?.members ?? []).some(({ account }) => hasKey(account, http))
