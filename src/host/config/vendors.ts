import type { BodyEdits } from '../../engine/call/body-edits.ts'
import { clientError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { describeValue } from '../../validation/messages.ts'
import { findVendor, VENDOR_NAMES } from '../../vendors/registry.ts'
import type { Vendor } from '../../vendors/vendor.ts'
import type { CachePolicy, Wire, WireName } from '../../wires/contract.ts'
import { findWire, WIRES } from '../../wires/registry.ts'
import { faultOfModel } from '../../wires/shared/upstream/model-paths.ts'
import { type Redact, redactor } from '../../wires/shared/upstream/redact.ts'
import { checkedKey, type Env, readSecret, readVariable } from '../auth/secrets.ts'
import { secretsIn } from '../auth/upstream-secrets.ts'
import { type AwsCredentials, credentialsIn, regionIn, signedTransport } from '../upstream/aws.ts'
import { listRecordings, readRecording, recordedTransport, unknownRecording } from '../upstream/recordings.ts'
import type { Transport } from '../upstream/transport.ts'
import { REPLAY } from './checks.ts'
import type { Config, VendorEntry } from './config.ts'
import { didYouMean } from './did-you-mean.ts'
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
  readonly bodyEdits: BodyEdits
  /** Whether bodies of clients of the same protocol are passed through. */
  readonly passthrough: boolean
  /** The cache breakpoints that its models receive. */
  readonly cache: CachePolicy
  /** Removes the secrets of this account from messages of its upstream. */
  readonly redact: Redact
  readonly source: Transport
  /** The same vendor on its further wires. Their accounts have no others. */
  readonly others: ReadonlyMap<WireName, VendorAccount>
}

/** The account that serves a request, and the vendor's own name of the model. */
export interface ModelRoute {
  readonly account: VendorAccount
  readonly model: string
}

export interface VendorRegistry {
  readonly names: readonly string[]
  /** The recordings, by their shortest names. */
  readonly recordings: readonly string[]
  /** `client`: the protocol of the client, by which a vendor with several wires is called. */
  find(model: string, client?: WireName): Promise<Result<ModelRoute>>
}

/** The vendors of this server: those of the table whose key is set, those of the configuration, and the recordings. */
export function createVendorRegistry(
  config: Config,
  env: Env,
  http: Transport,
  fixtures?: URL,
  clock = Date.now,
): VendorRegistry {
  const outside: Outside = { env, source: http, clock }
  const accounts = new Map([...tableAccounts(outside), ...configAccounts(config, outside)])
  const recordings = createRecordingsAccount(fixtures)
  return {
    names: [...accounts.keys(), REPLAY],
    recordings: recordings.names,
    find: async (name, client) => {
      const slash = name.indexOf('/')
      const [vendor, model] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)]
      if (vendor === '' || model === '')
        return err(notFound(`model: expected <vendor>/<model>, got ${describeValue(name)}.`))
      if (vendor === REPLAY) return recordings.find(model)
      const main = accounts.get(vendor)
      const account = client === undefined ? main : (main?.others.get(client) ?? main)
      if (account === undefined) return err(notFound(whyMissing(vendor, [...accounts.keys(), REPLAY])))
      const fault = faultOfModel(model, account.wire.name, account.quirks)
      return fault === null ? ok({ account, model }) : err(fault)
    },
  }
}

const notFound = (message: string) => clientError('model_not_found', message, 'model', 404)

function whyMissing(vendor: string, names: readonly string[]): string {
  const row = findVendor(vendor)
  if (row === undefined) {
    return `model: the vendor ${describeValue(vendor)} is not known.${didYouMean(vendor, names)} Models are named <vendor>/<model>.`
  }
  if (row.baseUrl === null || row.keyVariable === null)
    return `The vendor "${row.name}" is not configured. Add it to "vendors" in the configuration.`
  return row.awsService === undefined
    ? `The vendor "${row.name}" has no key. Set the environment variable ${row.keyVariable}.`
    : `The vendor "${row.name}" has no region or no key. Set the environment variables AWS_REGION, and ${row.keyVariable} or both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`
}

type Named = readonly [name: string, account: VendorAccount]

/** The sources of accounts besides the configuration. */
interface Outside {
  readonly env: Env
  readonly source: Transport
  /** Milliseconds since 1970. */
  readonly clock: () => number
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
      bodyEdits: {},
      passthrough: true,
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
  { source, clock }: Outside,
): Transport | null {
  const service = row?.awsService
  if (service === undefined || credentials === null || region === '') return null
  return signedTransport(source, { credentials, region, service }, clock)
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
    bodyEdits: { body: entry.body ?? {}, pass: entry.pass ?? [] },
    passthrough: entry.passthrough,
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

interface Recordings {
  readonly names: readonly string[]
  find(name: string): Promise<Result<ModelRoute>>
}

/** Finds recordings by `<name>` or `<wire>/<name>`. If several wires have the name, the first wire plays it. */
function createRecordingsAccount(root?: URL): Recordings {
  const wires = Object.keys(WIRES) as WireName[]
  const known = new Map(
    wires
      .toReversed()
      .flatMap((wire) =>
        listRecordings(wire, root).flatMap((name) => [
          [name, { wire, name }] as const,
          [`${wire}/${name}`, { wire, name }] as const,
        ]),
      ),
  )
  const find = async (model: string): Promise<Result<ModelRoute>> => {
    const found = known.get(model)
    if (found === undefined) return err(unknownRecording(model, [...known.keys()]))
    const { wire, name } = found
    const recording = await readRecording(wire, name, root)
    // A request names a recording by its own name; the answer must not replace it by the model that produced the
    // recording.
    const quirks = { ...recording.quirks, ownModelNames: true, countsTokens: false }
    const source = recordedTransport(recording)
    const account: VendorAccount = {
      name: REPLAY,
      wire: WIRES[wire],
      quirks,
      baseUrl: 'replay://',
      headers: {},
      key: null,
      bodyEdits: {},
      passthrough: true,
      cache: 'auto',
      redact: redactor([]),
      source,
      others: new Map(),
    }
    return ok({ account, model })
  }
  return { names: [...known.keys()].filter((name) => !name.includes('/')).sort(), find }
}
