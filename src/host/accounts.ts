import { clientError } from '../protocol/error.ts'
import { findVendor, VENDOR_NAMES } from '../vendors/table.ts'
import type { Quirks } from '../wires/quirks.ts'
import { findWire, WIRES } from '../wires/registry.ts'
import type { Wire, WireName } from '../wires/wire.ts'
import { type Attempt, failure, success } from './attempt.ts'
import type { Config, Secret, VendorEntry } from './config.ts'
import { REPLAY } from './config-checks.ts'
import { listRecordings, readRecording, replaySource, unknownRecording } from './replay.ts'
import type { Source } from './source.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Where the requests for one vendor go, and with what. */
export interface Account {
  readonly name: string
  readonly wire: Wire
  readonly quirks: Quirks
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly key: string | null
  readonly source: Source
}

/** Who answers a request, and what it calls the model. */
export interface Destination {
  readonly account: Account
  readonly model: string
}

export interface Accounts {
  readonly names: readonly string[]
  find(model: string): Promise<Attempt<Destination>>
}

/** The vendors of this server: those of the table whose key is set, those of the configuration, and the recordings. */
export function openAccounts(config: Config, env: Env, http: Source, fixtures?: URL): Accounts {
  const accounts = new Map([...tableAccounts(env, http), ...configAccounts(config, env, http)])
  const recordings = openRecordings(fixtures)
  return {
    names: [...accounts.keys(), REPLAY],
    find: async (name) => {
      const slash = name.indexOf('/')
      const [vendor, model] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)]
      if (vendor === '' || model === '') return failure(notFound('The model must be named <vendor>/<model>.'))
      if (vendor === REPLAY) return recordings(model)
      const account = accounts.get(vendor)
      return account === undefined ? failure(notFound(whyMissing(vendor))) : success({ account, model })
    },
  }
}

const notFound = (message: string) => clientError('model_not_found', message, 'model', 404)

function whyMissing(vendor: string): string {
  const row = findVendor(vendor)
  if (row === undefined) return 'No vendor of this name is known here; models are named <vendor>/<model>.'
  return row.baseUrl === null || row.keyVariable === null
    ? `The vendor "${row.name}" is not configured here.`
    : `The vendor "${row.name}" has no key here: ${row.keyVariable} is not set.`
}

type Named = readonly [name: string, account: Account]

/** What needs no key, or has no address of its own, must be asked for in the configuration. */
const tableAccounts = (env: Env, source: Source): readonly Named[] =>
  VENDOR_NAMES.flatMap((name): readonly Named[] => {
    const row = findVendor(name)
    if (row === undefined || row.baseUrl === null || row.keyVariable === null) return []
    const key = readVariable(env, row.keyVariable)
    const { baseUrl, quirks, headers = {} } = row
    return key === '' ? [] : [[name, { name, wire: WIRES[row.wire], quirks, baseUrl, headers, key, source }]]
  })

const configAccounts = (config: Config, env: Env, source: Source): readonly Named[] =>
  Object.entries(config.vendors).map(([name, entry]) => [name, toAccount(name, entry, env, source)])

function toAccount(name: string, entry: VendorEntry, env: Env, source: Source): Account {
  const row = findVendor(entry.vendor ?? name)
  const wire = findWire(entry.wire ?? row?.wire ?? '')
  const baseUrl = entry.base_url ?? row?.baseUrl ?? null
  if (wire === undefined || baseUrl === null) throw new Error(`vendors.${name}: checked before, and now incomplete`)
  // A row's own address keeps its own key variable; another address gets no key that was not named for it.
  const standing = entry.base_url === undefined ? readVariable(env, row?.keyVariable ?? '') || null : null
  return {
    name,
    wire,
    baseUrl,
    quirks: { ...row?.quirks, ...withoutHoles(entry.quirks ?? {}) },
    headers: { ...row?.headers, ...entry.headers },
    key: entry.key === undefined ? standing : readSecret(entry.key, `vendors.${name}.key`, env),
    source,
  }
}

const withoutHoles = (quirks: NonNullable<VendorEntry['quirks']>): Quirks =>
  Object.fromEntries(Object.entries(quirks).filter(([, value]) => value !== undefined))

/** Files that secrets come from end with a line feed, and no header may hold one. */
const readVariable = (env: Env, name: string): string => (env[name] ?? '').trim()

export function readSecret(secret: Secret, place: string, env: Env): string {
  if (typeof secret === 'string') return secret
  const value = readVariable(env, secret.env)
  if (value === '') throw new Error(`${place}.env: the environment variable ${secret.env} is not set`)
  return value
}

/** Recordings, as `<name>` or `<wire>/<name>`; where several wires have the name, the first of them plays it. */
function openRecordings(root?: URL): (name: string) => Promise<Attempt<Destination>> {
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
  return async (model) => {
    const found = known.get(model)
    if (found === undefined) return failure(unknownRecording())
    const { wire, name } = found
    const recording = await readRecording(wire, name, root)
    const { quirks } = recording
    const source = replaySource(recording)
    const account: Account = {
      name: REPLAY,
      wire: WIRES[wire],
      quirks,
      baseUrl: 'replay://',
      headers: {},
      key: null,
      source,
    }
    return success({ account, model })
  }
}
