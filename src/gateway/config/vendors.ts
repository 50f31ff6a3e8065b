import type { BodyEdits } from '../../engine/call/body-edits.ts'
import { findVendor, VENDOR_NAMES } from '../../vendors/registry.ts'
import type { Vendor } from '../../vendors/vendor.ts'
import type { CachePolicy, Wire, WireName } from '../../wires/contract.ts'
import { findWire } from '../../wires/find-wire.ts'
import { WIRES } from '../../wires/registry.ts'
import { type Redact, redactor } from '../../wires/shared/upstream/redact.ts'
import { checkedKey, type Env, readSecret, readVariable } from '../auth/secrets.ts'
import { secretsIn } from '../auth/upstream-secrets.ts'
import type { Hashes } from '../hashes.ts'
import { type AwsCredentials, credentialsIn, regionIn, signedTransport } from '../upstream/aws.ts'
import type { Transport } from '../upstream/transport.ts'
import type { Config, VendorEntry } from './config.ts'
import { toLowerCaseNames } from './header-values.ts'
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
  /** Whether refusals of its models are read. */
  readonly learns: boolean
  /** The cache breakpoints that its models receive. */
  readonly cache: CachePolicy
  /** Removes the secrets of this account from messages of its upstream. */
  readonly redact: Redact
  readonly source: Transport
  /** The same vendor on its further wires. Their accounts have no others. */
  readonly others: ReadonlyMap<WireName, VendorAccount>
}

/** The vendors of this server by name: those of the table whose key is set, and those of the configuration. */
export const toAccounts = (config: Config, outside: Outside): ReadonlyMap<string, VendorAccount> =>
  new Map([...tableAccounts(outside), ...configAccounts(config, outside)])

type Named = readonly [name: string, account: VendorAccount]

/** The sources of accounts besides the configuration. */
export interface Outside {
  readonly env: Env
  readonly source: Transport
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly hashes: Hashes
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
    const redact = redactor(secretsIn({ key, credentials, baseUrl }))
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
      learns: true,
      cache: 'auto' as const,
      redact,
      source,
    }
    return [[name, { ...own, others: accountsOn(wiresOf(row), ({ isOwn: _, ...other }) => ({ ...own, ...other })) }]]
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
  const { env } = outside
  const row = findVendor(entry.vendor ?? name)
  const wire = findWire(entry.wire ?? row?.wire ?? '')
  const region = entry.aws?.region ?? regionIn(reader(env))
  const further = furtherWireOf(row, entry)
  const url = entry.base_url ?? (further ?? row)?.baseUrl ?? null
  if (wire === undefined || url === null) throw new Error(`vendors.${name}: expected a wire and a base URL`)
  const baseUrl = inRegion(url, region)
  const credentials = row?.awsService === undefined ? null : readCredentials(name, entry, env)
  if (baseUrl === null || (credentials !== null && region === '')) {
    throw new Error(`vendors.${name}.aws.region: the region is missing. Set it, or the environment variable AWS_REGION`)
  }
  // The row's key variable applies to the row's base URL, and to the account's base URL if the row has none. Any other
  // base URL gets only a key that the configuration names for it, so that a key never reaches a foreign server.
  const isItsOwn = entry.base_url === undefined || row?.baseUrl === null
  const defaultKey = isItsOwn ? readKey(env, row?.keyVariable ?? '') : null
  const path = `vendors.${name}.key`
  const key = entry.key === undefined ? defaultKey : checkedKey(readSecret(entry.key, path, env), path)
  const quirks = withoutUndefined(entry.quirks ?? {})
  const others = wiresOf(row, entry)
  const secrets = others.flatMap((other) => secretsIn({ key: null, baseUrl: other.baseUrl }))
  const own = {
    name,
    wire,
    baseUrl,
    quirks: { ...(further ?? row)?.quirks, ...quirks },
    headers: toLowerCaseNames({ ...row?.headers, ...entry.headers }),
    key,
    needsKey: (row?.keyVariable ?? null) !== null,
    bodyEdits: { body: entry.body ?? {}, pass: entry.pass ?? [] },
    passthrough: entry.passthrough,
    learns: entry.learn,
    cache: entry.cache,
    redact: redactor([...secretsIn({ key, credentials, headers: entry.headers ?? {}, baseUrl }), ...secrets]),
    source: key === null ? (sign(row, region, credentials, outside) ?? outside.source) : outside.source,
  }
  return {
    ...own,
    others: accountsOn(others, (other) => ({
      ...own,
      wire: other.wire,
      baseUrl: other.baseUrl,
      quirks: { ...other.quirks, ...quirks },
      key: other.isOwn || entry.key !== undefined || row?.baseUrl === null ? key : null,
    })),
  }
}

/** Returns the key in a variable; null if it is not set. */
const readKey = (env: Env, variable: string): string | null => {
  const key = readVariable(env, variable)
  return key === '' ? null : checkedKey(key, variable)
}

/** As with keys, another base URL gets only credentials that the configuration names for it. */
function readCredentials(name: string, { aws, base_url }: VendorEntry, env: Env): AwsCredentials | null {
  if (aws?.access_key_id === undefined || aws.secret_access_key === undefined) {
    return base_url === undefined ? credentialsIn(reader(env)) : null
  }
  const read = (field: 'access_key_id' | 'secret_access_key' | 'session_token'): string | null => {
    const secret = aws[field]
    return secret === undefined ? null : readSecret(secret, `vendors.${name}.aws.${field}`, env)
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
