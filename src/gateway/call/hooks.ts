import type { OwnVendor } from '../../api/names.ts'
import type { ClientRequest } from '../../engine/client-request.ts'
import { type DeltaMachine, type GuardedHook, guardHook, settled } from '../../engine/hooks.ts'
import {
  type HookRefusal,
  isRefusal,
  readHookResult,
  refusalOf,
  withChangedRequest,
} from '../../engine/request-hooks.ts'
import type { RoutedRequest } from '../../engine/upstream-call.ts'
import { type GatewayError, gatewayError } from '../../protocol/error.ts'
import type { Request } from '../../protocol/request.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { checkFunction, checkFunctions, checkObject, checkOptions, mistake } from '../../validation/arguments.ts'
import type { RequestHeaders } from '../exchange/http-types.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { bugLine, type Log } from '../telemetry/log.ts'

/** The exchange that a hook of the operator belongs to. */
export interface HookContext {
  /** The id of the request, also in the log. */
  readonly requestId: string
  /** The name of the client's key. */
  readonly key: string
  /** The protocol of the client. */
  readonly client: string
}

export interface RequestHookContext extends HookContext {
  /** The headers of the client's request, without its key. */
  readonly headers: RequestHeaders
  /** Aborts when the client has left. */
  readonly signal: AbortSignal
}

export interface MachineHookContext extends HookContext {
  readonly vendor: string
  /** The upstream's own name of the model. */
  readonly model: string
  readonly upstream: string
  readonly request: Request
}

/** Changes a request before it is routed, or refuses it. The same object is returned for a request that stays as it is. */
export type RequestHook = (
  request: Request,
  context: RequestHookContext,
) => Request | HookRefusal | Promise<Request | HookRefusal>

/** Returns the machine between decoder and reducer for one answer. Equal work should be the same machine every time. */
export type MachineHook = (context: MachineHookContext) => DeltaMachine

/** Code of the operator in each exchange. */
export interface HookOptions {
  /** Machines between the decoder and the reducer of each answer, in this order. */
  readonly machines?: readonly MachineHook[] | undefined
  /** Functions that each request passes before it is routed, in this order. */
  readonly requests?: readonly RequestHook[] | undefined
  /**
   * Upstreams of the program, as for `createTranslator`: `name` is the vendor in names of models, `baseUrl` is required,
   * and the key is in the variable `keyVariable`. A vendor of the configuration with the same name replaces it.
   */
  readonly vendors?: readonly OwnVendor[] | undefined
}

/** The names of these options. */
const HOOK_OPTIONS = ['machines', 'requests', 'vendors'] as const

/**
 * Returns the names of the vendors of the program. Throws a TypeError for an option that does not exist, and for a value
 * that an option cannot have. `names`: of the options beside those of hooks; `functions`: of those that are functions.
 */
export function checkGatewayOptions(
  options: HookOptions & { readonly env?: unknown },
  names: readonly string[],
  functions: readonly string[],
): readonly string[] {
  checkOptions(options, [...HOOK_OPTIONS, ...functions, ...names])
  const { machines = [], requests = [], vendors = [], env } = options
  checkObject(env, 'env')
  checkFunctions(machines, 'machines')
  checkFunctions(requests, 'requests')
  for (const name of functions) {
    const given = options[name as keyof HookOptions]
    if (given !== undefined) checkFunction(given, name)
  }
  if (!Array.isArray(vendors)) throw mistake('vendors', 'a list', vendors)
  return vendors.map((vendor: OwnVendor, at) => {
    checkObject(vendor ?? null, `vendors[${at}]`)
    return vendor.name
  })
}

export interface Hooks {
  machinesFor(routed: RoutedRequest, context: RequestContext): Result<readonly GuardedHook[]>
  /** Applies the functions for requests. */
  change(client: ClientRequest, context: RequestContext): Promise<Result<ClientRequest>>
}

/** Logs the failure of a hook. */
type Report = (hook: string, id: string | null, error: unknown) => void

const failed = (name: string): GatewayError =>
  gatewayError('hook_failed', `The hook ${name} of this gateway has failed. Its log has the place of the failure.`)

/** Returns null if there are no hooks. */
export function createHooks({ machines = [], requests = [] }: HookOptions, log: Log): Hooks | null {
  if (machines.length === 0 && requests.length === 0) return null
  const report: Report = (hook, id, error) => log({ ...bugLine(id, error), event: 'hook_failed', hook })
  const guarded = machines.map((_, at) => createGuards(`machines[${at}]`, report))
  return {
    machinesFor(routed, { id, journal }) {
      const { client, route } = routed
      const { vendor, model, wire } = route
      const context = {
        requestId: id,
        key: journal.last('admitted')?.key ?? '',
        client: client.sent.wire,
        vendor,
        model,
        upstream: wire.name,
        request: client.request,
      }
      const hooks: GuardedHook[] = []
      for (const [at, create] of machines.entries()) {
        try {
          const machine = settled(create(context))
          if (typeof machine?.step !== 'function') throw new TypeError('no machine was returned')
          hooks.push(guarded[at]?.(machine) as GuardedHook)
        } catch (error) {
          report(`machines[${at}]`, id, error)
          return err(failed(`machines[${at}]`))
        }
      }
      return ok(hooks)
    },
    change: async (client, context) =>
      requests.length === 0 ? ok(client) : changeRequest(requests, client, context, report),
  }
}

/** Runs the hooks of requests one after the other, each with the request of the one before. */
async function changeRequest(
  hooks: NonNullable<HookOptions['requests']>,
  client: ClientRequest,
  context: RequestContext,
  report: Report,
): Promise<Result<ClientRequest>> {
  const cancelling = new AbortController()
  const { signal } = context
  const listener = { onCancel: () => cancelling.abort() }
  signal.listen(listener)
  const hookContext = {
    requestId: context.id,
    key: context.journal.last('admitted')?.key ?? '',
    client: client.sent.wire,
    headers: withoutKeys(context.request.headers),
    signal: cancelling.signal,
  }
  let { request } = client
  let name = ''
  try {
    for (const [at, hook] of hooks.entries()) {
      name = `requests[${at}]`
      const result: unknown = await untilAborted(hook(request, hookContext), signal)
      if (signal.reason !== null) return err(signal.reason)
      const read = readHookResult(result, request)
      if (isRefusal(read)) return err(refusalOf(read))
      request = read
    }
  } catch (error) {
    report(name, context.id, error)
    return err(failed(name))
  } finally {
    signal.forget(listener)
  }
  return ok(withChangedRequest(client, request))
}

/** A hook that never ends must not keep its exchange open. */
const untilAborted = (result: unknown, signal: RequestContext['signal']): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const listener = { onCancel: () => resolve(null) }
    signal.listen(listener)
    if (signal.aborted) listener.onCancel()
    Promise.resolve(result)
      .then(resolve, reject)
      .finally(() => signal.forget(listener))
  })

const KEYS: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie'],
  // Tokens that a proxy in front adds: Cloudflare Access, AWS, Google IAP, Azure, OAuth2 Proxy, Tailscale, Teleport.
  ...['cf-access-jwt-assertion', 'cf-access-client-secret', 'x-amzn-oidc-data', 'x-amzn-oidc-accesstoken'],
  ...[
    'x-goog-iap-jwt-assertion',
    'x-serverless-authorization',
    'x-forwarded-access-token',
    'x-auth-request-access-token',
  ],
  ...['x-forwarded-authorization', 'x-original-authorization', 'x-ms-client-principal', 'teleport-jwt-assertion'],
])

/** Names of further tokens. */
const TOKEN = /(?:access|id|refresh|auth|bearer|session)-?token|secret|password|jwt|^x-ms-token-/

const withoutKeys = (headers: RequestHeaders): RequestHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !KEYS.has(name) && !TOKEN.test(name)))

/** Machines are guarded once, so that answers with the same machine share what the fast path has learned. */
function createGuards(
  name: string,
  report: (hook: string, id: string | null, error: unknown) => void,
): (machine: DeltaMachine) => GuardedHook {
  const known = new WeakMap<DeltaMachine, GuardedHook>()
  return (machine) => {
    const guarded =
      known.get(machine) ??
      guardHook(machine, name, (failure, error, hook) => {
        report(hook, null, error)
        return failure
      })
    known.set(machine, guarded)
    return guarded
  }
}
