import {
  type ExplainedBody,
  type ExplainSettings,
  explainBodyFor,
  inPrevious,
  wireOf,
} from '../../api/explain-request.ts'
import { clientNamed } from '../../api/names.ts'
import type { OpenRoute } from '../../api/upstream-route.ts'
import { DIALECTS } from '../../dialects/registry.ts'
import { type Key, requireModel } from '../../gateway/auth/auth.ts'
import type { CancellationSignal } from '../../gateway/cancellation.ts'
import { splitModel } from '../../gateway/config/model-rules.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { runInSlices } from '../../gateway/run-in-slices.ts'
import { learnerOf } from '../../gateway/vendors/account-for.ts'
import type { ExplainAnswer, ExplainQuery, ExplainTarget, KnownTarget } from '../../page-api/explanations.ts'
import { clientError } from '../../protocol/error.ts'
import type { Result } from '../../protocol/result.ts'
import type { Sign } from '../../responses/encrypted-content.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import type { Steps } from '../../text/steps.ts'
import { findVendor, VENDOR_NAMES } from '../../vendors/registry.ts'
import { quirksOn } from '../../vendors/vendor.ts'
import { RESPONSES_WIRE } from '../../wires/contract.ts'
import { CLIENT_WIRES, findWire } from '../../wires/find-wire.ts'

type VendorAccount = NonNullable<ReturnType<Gateway['accounts']['accountOn']>>

/** The names of client protocols. Clients of the Responses API are named by their dialect. */
export const EXPLAINED_CLIENTS: readonly string[] = [
  ...Object.keys(DIALECTS),
  ...CLIENT_WIRES.filter((name) => name !== RESPONSES_WIRE),
]

/** The bodies of a query as JSON, which are the same for all targets. */
export interface ParsedBodies {
  readonly body: ParsedQueryBody
  /** Null if there is no earlier request. */
  readonly previous: ParsedQueryBody | null
}

export type ParsedQueryBody = Result<Readonly<Record<string, unknown>>>

/** Stands in for the address of an upstream, of which an explanation contains only what follows it. */
const NO_ADDRESS = 'https://upstream.invalid'

/** The gateway whose settings explain its own vendors, and the key of the user there. */
interface ExplainedGateway {
  readonly gateway: Gateway
  readonly key: Key
}

/**
 * Explains a request for wires of vendors: with the settings of this server for its own vendors, with those of the
 * table for others. No upstream is called, and no explanation contains a key or a header of the operator. `own`: null
 * for the table alone, without anything that a server is configured with.
 */
export async function explainTargets(
  own: ExplainedGateway | null,
  query: ExplainQuery,
  bodies: ParsedBodies,
  signal: CancellationSignal,
): Promise<ExplainAnswer> {
  const client = clientNamed('client', query.client)
  const named = query.model ?? modelIn(bodies.body)
  const accounts = own?.gateway.accounts
  const found = (await accounts?.findAll(named, wireOf(client))) ?? null
  const routes = found?.ok === true ? found.value : []
  const known = knownTargets(accounts?.vendors ?? [])
  const explanations: ExplainAnswer['explanations'][number][] = []
  for (const { vendor, wire, model: entered } of query.targets ?? defaultTargets(known)) {
    if (signal.aborted) break
    const chosen = routes.find(({ account }) => account.name === vendor && account.wire.name === wire)
    const model = entered ?? chosen?.model ?? withoutVendor(named, accounts?.names ?? [])
    // A key for other models explains with the settings of the table alone.
    const isOwn =
      own !== null &&
      (requireModel(own.key, `${vendor}/${model}`).ok || (chosen !== undefined && requireModel(own.key, named).ok))
    const account = isOwn ? own.gateway.accounts.accountOn(vendor, wire) : undefined
    const route =
      own === null || account === undefined
        ? tableRoute(vendor, wire, model)
        : accountRoute(own.gateway, account, model, own.gateway.signFor(own.key))
    const explained =
      route === null
        ? UNKNOWN
        : await runInSlices(
            explainParsed(client, route, bodies, {
              ...(own === null ? {} : { search: own.gateway.search }),
              ...(query.model === undefined ? {} : { model: query.model }),
            }),
          )
    const result = await runInSlices(withoutSecrets(explained, account))
    explanations.push({ vendor, wire, isRouted: chosen !== undefined && chosen === routes[0], result })
  }
  return { explanations, known }
}

const UNKNOWN: ExplainedBody = {
  ok: false,
  error: clientError(
    'model_not_found',
    'This server has no such vendor with this wire, and neither has the table of vendors.',
  ),
}

const modelIn = (body: ParsedQueryBody): string =>
  body.ok && isNonEmptyString(body.value.model) ? body.value.model.trim() : ''

function* explainParsed(
  client: ReturnType<typeof clientNamed>,
  route: OpenRoute,
  { body, previous }: ParsedBodies,
  settings: ExplainSettings,
): Steps<ExplainedBody> {
  if (!body.ok) return body
  if (previous === null) return yield* explainBodyFor(client, route, body.value, settings)
  if (previous.ok) return yield* explainBodyFor(client, route, body.value, { ...settings, previous: previous.value })
  const explained = yield* explainBodyFor(client, route, body.value, settings)
  return explained.ok ? { ok: false, error: inPrevious(previous.error) } : explained
}

/** The name of a model for another vendor than the one that it names. */
function withoutVendor(name: string, configured: readonly string[]): string {
  const { vendor, model } = splitModel(name)
  return configured.includes(vendor) || VENDOR_NAMES.includes(vendor) ? model : name
}

/** All wires of the vendors of this server, then those of the table. */
function knownTargets(vendors: Gateway['accounts']['vendors']): readonly KnownTarget[] {
  const own = vendors.flatMap(({ name, wires }) => wires.map((wire) => ({ vendor: name, wire, isConfigured: true })))
  const names = new Set(vendors.map(({ name }) => name))
  const others = VENDOR_NAMES.filter((name) => !names.has(name)).flatMap((vendor) => {
    const row = findVendor(vendor)
    if (row === undefined) return []
    return [row.wire, ...Object.keys(row.wires ?? {})].map((wire) => ({ vendor, wire, isConfigured: false }))
  })
  return [...own, ...others]
}

/** Those of this server; without any, the first vendor of the table whose own wire it is, for each wire. */
function defaultTargets(known: readonly KnownTarget[]): readonly (ExplainTarget & { readonly model?: string })[] {
  // A vendor with several wires is explained by its first one.
  const own = known.filter(
    ({ isConfigured, vendor }, at) => isConfigured && known.findIndex((one) => one.vendor === vendor) === at,
  )
  if (own.length > 0) return own.slice(0, DEFAULT_TARGETS)
  const wires = [...new Set(known.map(({ wire }) => wire))]
  return wires.flatMap((wire) => known.find((one) => one.wire === wire && findVendor(one.vendor)?.wire === wire) ?? [])
}

/** More are a choice of the user. */
export const DEFAULT_TARGETS = 16

/** The route of an account, without its key and the operator's headers, which no explanation needs. */
function accountRoute({ restrictions }: Gateway, account: VendorAccount, model: string, sign: Sign): OpenRoute {
  const { name, boundary, wire, quirks, bodyEdits, passthrough, cache } = account
  const learner = learnerOf(account, model, () => null)
  return {
    wire,
    quirks: restrictions.quirksFor(learner, quirks),
    learned: restrictions.linesFor(learner),
    vendor: name,
    model,
    baseUrl: NO_ADDRESS,
    key: null,
    headers: {},
    passthrough,
    cache,
    sign,
    ...(boundary === null ? {} : { boundary }),
    ...bodyEdits,
  }
}

/** The route of a vendor of the table; null if it has no such wire. */
function tableRoute(vendor: string, wireName: string, model: string): OpenRoute | null {
  const row = findVendor(vendor)
  const wire = findWire(wireName)
  if (row === undefined || wire === undefined) return null
  if (row.wire !== wire.name && row.wires?.[wire.name] === undefined) return null
  return {
    wire,
    quirks: quirksOn(row, wire.name),
    vendor,
    model,
    baseUrl: NO_ADDRESS,
    key: null,
    headers: row.headers ?? {},
  }
}

/** The operator may have put a secret into the members that are added to each body. */
function* withoutSecrets(
  explained: ExplainedBody,
  account: VendorAccount | undefined,
): Steps<ExplainAnswer['explanations'][number]['result']> {
  if (!explained.ok) {
    const { status, code, message, param } = explained.error
    return { ok: false, error: { status, code, message: account?.redact(message) ?? message, param } }
  }
  return account === undefined ? explained : ((yield* hideIn(explained, account.redact)) as typeof explained)
}

/** The same value with secrets in its texts hidden. */
function* hideIn(value: unknown, redact: VendorAccount['redact']): Steps<unknown> {
  yield
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) {
    const list: unknown[] = []
    for (const entry of value) list.push(yield* hideIn(entry, redact))
    return list
  }
  if (!isObject(value)) return value
  const entries: [string, unknown][] = []
  for (const [name, inner] of Object.entries(value)) entries.push([name, yield* hideIn(inner, redact)])
  return Object.fromEntries(entries)
}
