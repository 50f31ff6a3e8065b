import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Head } from '../../protocol/response.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { didYouMean } from '../../text/did-you-mean.ts'
import { describeValue } from '../../validation/messages.ts'
import { findVendor } from '../../vendors/registry.ts'
import { faultOfModel } from '../../wires/model-names.ts'
import { configuredSecrets } from '../auth/configured-secrets.ts'
import { REPLAY } from '../config/checks.ts'
import type { Config } from '../config/config.ts'
import { formatConfigPath } from '../config/config-problems.ts'
import {
  type ModelRouting,
  membersFor,
  namesByRules,
  routesFor,
  routingProblems,
  ruleFor,
  splitModel,
} from '../config/model-rules.ts'
import type { Env } from '../config/secrets.ts'
import { type Awaitable, awaited, runInSlices, type Work } from '../run-in-slices.ts'
import type { TransportTap } from '../upstream/tap.ts'
import type { Transport } from '../upstream/transport.ts'
import { accountFor } from './account-for.ts'
import { isInDevelopment, type Outside, type Pool, toAccounts, type VendorAccount } from './accounts.ts'
import { configNotices } from './config-notices.ts'
import { createModelLists } from './model-lists.ts'

/** The account that serves a request, and the vendor's own name of the model. */
export interface ModelRoute {
  readonly account: VendorAccount
  readonly model: string
  /** How the answer shows the name that the upstream reports. Left out: below the vendor, as in the request. */
  readonly reported?: Head['reported']
  /** Further routes continue its text. Left out: they do not. */
  readonly continues?: boolean
  /** As `Origin.isShared`. */
  readonly isShared?: boolean
  /** The name of the model at its vendor, where the member has another one. Left out: `model`. */
  readonly family?: string
}

/** The accounts of a request, in the order in which they are called: each further one if the one before it fails. */
export type ModelRoutes = readonly [first: ModelRoute, ...further: ModelRoute[]]

/** A vendor of this server, with the wires of its upstreams, the main one first, and the members of its pool. */
interface ServedVendor {
  readonly name: string
  readonly wires: readonly string[]
  /** Left out: it has no pool. */
  readonly pool?: { readonly members: readonly string[]; readonly affinity: boolean }
}

export interface VendorRegistry {
  readonly names: readonly string[]
  /** The vendors without the recordings. */
  readonly vendors: readonly ServedVendor[]
  accountOn(vendor: string, wire: string): VendorAccount | undefined
  /**
   * The names that clients may send: those of rules, the models that the vendors list, `<vendor>/*` for a vendor that
   * lists none, and the recordings. Never rejects.
   */
  list(): Promise<readonly string[]>
  /** The first of all accounts that may serve this model. */
  find(model: string, client?: string): Awaitable<Result<ModelRoute>>
  /** `client`: the protocol of the client, by which a vendor with several wires is called. */
  findAll(model: string, client?: string): Awaitable<Result<ModelRoutes>>
  /**
   * Prepares the vendors of another configuration, and returns the function that puts them in force. Requests that have
   * begun keep their accounts. Throws an Error with the path of a missing secret, or a line for each vendor of rules, and
   * the default one, that the server does not have.
   */
  prepare(config: Config): () => void
}

/** The recordings that the vendor `replay` plays. */
export interface Recordings {
  /** Whether a program has named their folder. */
  readonly isChosen: boolean
  /** `<name>` of the wire `openai-chat`, `<wire>/<name>` of the others, and the folders of exchanges. */
  readonly names: readonly string[]
  /** `name`: one of `names`. */
  find(name: string): Promise<Result<VendorAccount>>
}

interface RegistryOptions {
  readonly hashes: Outside['hashes']
  /** The recordings of the vendor `replay`, if the server serves them; undefined: there is no such vendor. */
  readonly recordings?: Recordings | undefined
  /** Milliseconds since 1970. */
  readonly clock?: () => number
  /** The rules in force; they change when the configuration is read again. Default: those of the configuration. */
  readonly routing?: () => ModelRouting
  /** Receives notices about a configuration that comes into force. */
  readonly onNotice?: (message: string) => void
  /** Takes part in the exchanges of all accounts. */
  readonly tap?: TransportTap | undefined
  /** Those of the program. */
  readonly vendors?: Outside['vendors']
}

/** The vendors of this server: those of the table whose key is set, those of the configuration, and the recordings. */
export function createVendorRegistry(
  config: Config,
  env: Env,
  http: Transport,
  { hashes, clock = Date.now, routing = () => config, tap, onNotice, ...options }: RegistryOptions,
): VendorRegistry {
  const toServed = (given: Config): ServedVendors => {
    const own = toAccounts(given, { env, source: http, clock, hashes, vendors: options.vendors })
    const accounts = tap === undefined ? own : new Map([...own].map(([name, account]) => [name, tapped(account, tap)]))
    const isDevelopment = isInDevelopment(config, own, http)
    const isServed = given.recordings ?? (options.recordings?.isChosen === true || isDevelopment)
    const recordings = isServed ? options.recordings : undefined
    return {
      accounts,
      recordings,
      names: [...accounts.keys(), ...(recordings === undefined ? [] : [REPLAY])],
      onlyVendor: findOnlyVendor([...accounts.keys()], Object.keys(given.vendors)),
      lists: createModelLists(config.model_lists, clock),
    }
  }
  const notice = (given: Config, { accounts, onlyVendor }: ServedVendors): void => {
    const isBare = given.default_vendor !== undefined || onlyVendor !== null
    if (onNotice !== undefined) for (const message of configNotices(given, accounts, isBare)) onNotice(message)
  }
  let served = toServed(config)

  checkRouting(routing(), served.names)
  notice(config, served)
  return {
    get names() {
      return served.names
    },
    get vendors() {
      return [...served.accounts.values()].map(describeAccount)
    },
    accountOn(vendor, wire) {
      const main = served.accounts.get(vendor)
      return main?.wire.name === wire ? main : [...(main?.others ?? [])].find(([name]) => name === wire)?.[1]
    },
    list: () => listNames(served, routing),
    findAll: (name, client) => runInSlices(findAll(served, routing(), name, client)),
    find: (name, client) => runInSlices(find(served, routing(), name, client)),
    prepare(next) {
      const fresh = toServed(next)
      checkRouting(next, fresh.names)
      tap?.hide(configuredSecrets(next, env))
      return () => {
        served = fresh
        notice(next, fresh)
      }
    },
  }
}

/** Every route of the name, the first of which is called first. */
function* findAll(
  served: ServedVendors,
  routing: ModelRouting,
  name: string,
  client?: string,
): Work<Result<ModelRoutes>> {
  const routes = routesFor(routing.models, name)
  if (routes !== null)
    return yield* awaited(findByRule(served, name, routes, ruleFor(routing.models, name)?.continue === true, client))
  const vendor = defaultFor(served, routing, name)
  const found = yield* awaited(findRoute(served, vendor === null ? name : `${vendor}/${name}`, client))
  return found.ok ? ok([vendor === null ? found.value : { ...found.value, reported: 'alone' }]) : found
}

function* find(served: ServedVendors, routing: ModelRouting, name: string, client?: string): Work<Result<ModelRoute>> {
  const found = yield* findAll(served, routing, name, client)
  return found.ok ? ok(found.value[0]) : found
}

interface ServedVendors {
  readonly accounts: ReadonlyMap<string, VendorAccount>
  readonly recordings: Recordings | undefined
  readonly names: readonly string[]
  /** The vendor of names without one; null: there is none. */
  readonly onlyVendor: string | null
  readonly lists: ReturnType<typeof createModelLists>
}

function findRoute(
  { accounts, names, recordings }: ServedVendors,
  route: string,
  client: string | undefined,
): Awaitable<Result<ModelRoute>> {
  const { vendor, model } = splitModel(route)
  if (vendor === '' || model === '')
    return err(notFound(`model: expected <vendor>/<model>, got ${describeValue(route)}.`))
  if (vendor === REPLAY && recordings !== undefined)
    return recordings.find(model).then((found) => (found.ok ? ok({ account: found.value, model }) : found))
  const main = accounts.get(vendor)
  const account = main === undefined ? undefined : accountFor(main, model, client)
  if (account === undefined) return err(notFound(toMessage(vendor, whyMissing(vendor, names))))
  const fault = faultOfModel(model, account.wire, account.quirks)
  if (fault !== null) return err(fault)
  return account.pool === null || membersFor(account.pool.members, model).length > 0
    ? ok({ account, model })
    : err(notFound(`model: no member of the pool "${vendor}" serves ${describeValue(model)}.`))
}

async function findByRule(
  served: ServedVendors,
  name: string,
  routes: readonly string[],
  continues: boolean,
  client: string | undefined,
): Promise<Result<ModelRoutes>> {
  const found = await Promise.all(routes.map((route) => findRoute(served, route, client)))
  // An upstream that can have no model of this name is left out, as long as another one can.
  const [first, ...further] = found.flatMap((one) =>
    one.ok ? [{ ...one.value, reported: 'ignored' as const, continues }] : [],
  )
  if (first !== undefined) return ok([first, ...further])
  return found.find((one) => !one.ok) ?? err(notFound(`model: no rule has a route for ${describeValue(name)}.`))
}

/** The vendor of a name that names none; null if it names one, or if there is no default. */
function defaultFor(served: ServedVendors, routing: ModelRouting, name: string): string | null {
  const { vendor, model } = splitModel(name)
  if (vendor === REPLAY) return null
  const isBare = name !== '' && !name.includes('/')
  const isForeign = vendor !== '' && model !== '' && findVendor(vendor) === undefined && !served.names.includes(vendor)
  return isBare || isForeign ? (routing.default_vendor ?? served.onlyVendor) : null
}

async function listNames(
  { accounts, recordings, lists }: ServedVendors,
  routing: () => ModelRouting,
): Promise<readonly string[]> {
  const asked = await Promise.all(
    [...accounts].map(async ([vendor, account]) => [vendor, await lists.namesOf(account)] as const),
  )
  const listed = new Map(asked.flatMap(([vendor, models]) => (models === null ? [] : [[vendor, models]])))
  const own = [...accounts.keys()].flatMap((vendor) =>
    (listed.get(vendor) ?? ['*']).map((model) => `${vendor}/${model}`),
  )
  const played = (recordings?.names ?? []).map((name) => `${REPLAY}/${name}`)
  return [...new Set([...namesByRules(routing().models, listed), ...own, ...played])]
}

const describeAccount = ({ name, wire, others, pool }: VendorAccount): ServedVendor => ({
  name,
  wires: [wire.name, ...others.keys()],
  ...(pool === null ? {} : { pool: { members: pool.members.map((member) => member.name), affinity: pool.affinity } }),
})

/** The account with its further wires and its members, each with a source that the tap wraps. */
const tapped = (account: VendorAccount, tap: TransportTap): VendorAccount => ({
  ...account,
  pool: account.pool === null ? null : tappedPool(account.pool, tap),
  source: tap.wrap(account.source, {
    vendor: account.name,
    wire: account.wire.name,
    quirks: account.quirks,
    baseUrl: account.baseUrl,
  }),
  others: new Map([...account.others].map(([wire, other]) => [wire, tapped(other, tap)])),
})

const tappedPool = (pool: Pool, tap: TransportTap): Pool => ({
  ...pool,
  members: pool.members.map((member) => ({ ...member, account: tapped(member.account, tap) })),
})

/** Throws an Error with a line for each vendor of the rules that is not among `names`. */
function checkRouting(routing: ModelRouting, names: readonly string[]): void {
  const whyNot = (vendor: string): string | null => (names.includes(vendor) ? null : whyMissing(vendor, names))
  const places = new Map<string, string[]>()
  for (const [path, message] of routingProblems(routing, whyNot)) {
    const known = places.get(message)
    if (known === undefined) places.set(message, [formatConfigPath(path)])
    else known.push(formatConfigPath(path))
  }
  if (places.size > 0)
    throw new Error(
      [...places].map(([message, [first, ...further]]) => `${first}: ${message}${andIn(further)}`).join('\n'),
    )
}

/** The end of a problem that several places of a configuration have. */
const andIn = ({ length }: readonly string[]): string =>
  length === 0 ? '' : ` The vendor is also named in ${length} further ${length === 1 ? 'place' : 'places'}.`

const notFound = (message: string): GatewayError => clientError('model_not_found', message, 'model', 404)

const toMessage = (vendor: string, why: string): string =>
  findVendor(vendor) === undefined ? `model: ${why} Models are named <vendor>/<model>.` : why

/** Why this server has no such vendor. */
function whyMissing(vendor: string, names: readonly string[]): string {
  if (vendor === REPLAY)
    return 'this server serves no recordings, because a vendor has a key or other machines reach it. Set "recordings": true in the configuration to serve them.'
  const row = findVendor(vendor)
  if (row === undefined) return `the vendor ${describeValue(vendor)} is not known.${didYouMean(vendor, names)}`
  if (row.baseUrl === null || row.keyVariable === null)
    return `The vendor "${row.name}" is not configured. Add it to "vendors" in the configuration.`
  return row.awsService === undefined
    ? `The vendor "${row.name}" has no key. Set the environment variable ${row.keyVariable}.`
    : `The vendor "${row.name}" has no region or no key. Set the environment variables AWS_REGION, and ${row.keyVariable} or both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`
}

/**
 * The vendor of a server that has only one; null if it has none or several. Vendors of the table that share a key
 * variable, such as `openai` and `openai-chat`, are one, with the shortest of their names.
 */
function findOnlyVendor(names: readonly string[], configured: readonly string[]): string | null {
  const variableOf = (name: string): string => findVendor(name)?.keyVariable ?? name
  const own = new Set(configured.map(variableOf))
  const table = names.filter((name) => !configured.includes(name) && !own.has(variableOf(name)))
  const [only = null, ...others] = configured
  if (only !== null) return others.length === 0 && table.length === 0 ? only : null
  if (new Set(table.map(variableOf)).size !== 1) return null
  return table.reduce((one, other) => (other.length < one.length ? other : one))
}
