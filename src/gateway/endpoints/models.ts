import { clientError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { ok, type Result } from '../../protocol/result.ts'
import type { ModelListing } from '../../wires/client-contract.ts'
import { authenticate, bearerOf, callable, type Key, requireKind, requireModel } from '../auth/auth.ts'
import { findFamily, type WireRoutes } from '../clients/client-apis.ts'
import { belowModels } from '../clients/method-paths.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendError, sendJson } from '../exchange/send.ts'
import { decodePath, urlOf } from '../exchange/url.ts'
import type { Gateway } from '../gateway.ts'
import { checkBody } from './admit-request.ts'

/** The vendor that serves a model, and the time of a name that the configuration has made, in seconds since 1970. */
interface ModelOrigin {
  readonly owned_by: string
  readonly created: number
}

/**
 * The format for clients of the Responses API and of other OpenAI APIs. `created` of a vendor's model is 0, because the
 * gateway has no dates of models; of a name of a rule, it is the start of the server.
 */
const openaiListing = (originOf: (id: string) => ModelOrigin): ModelListing => {
  const one = (id: string): JsonObject => ({ id, object: 'model', ...originOf(id) })
  return { one, list: (ids) => ({ object: 'list', data: ids.map(one) }) }
}

/** Names of rules are owned by the vendor of their first route. */
async function originsOf(
  { accounts, startedAt }: Gateway,
  ids: readonly string[],
): Promise<(id: string) => ModelOrigin> {
  const made = new Map<string, ModelOrigin>()
  for (const id of ids.filter((one) => !accounts.names.includes(ownerIn(one)))) {
    const found = await accounts.find(id)
    if (found.ok) made.set(id, { owned_by: found.value.account.name, created: Math.floor(startedAt / 1000) })
  }
  return (id) => made.get(id) ?? { owned_by: ownerIn(id), created: 0 }
}

const ownerIn = (id: string): string => id.split('/', 1).join()

/**
 * Codex names its version, and reads its own metadata of models from `models`: prompts, tools, context windows. Other
 * metadata would replace that of the models which it has built in, so that the list is empty, and Codex keeps its own.
 */
const CODEX_PARAMETER = 'client_version'

/** `GET {mount}/models`, in the format of the client API, else in OpenAI's. */
export async function getModels(
  gateway: Gateway,
  context: RequestContext,
  family = findFamily(context.request),
): Promise<void> {
  const admitted = admit(gateway, context, family)
  if (admitted === null) return
  const ids = callable(admitted.key, await gateway.accounts.list())
  const list = (admitted.words ?? openaiListing(await originsOf(gateway, ids))).list(ids)
  const isCodex = family === undefined && urlOf(context.request).searchParams.has(CODEX_PARAMETER)
  sendJson(context, 200, isCodex ? { ...list, models: [] } : list)
}

/** `GET {mount}/models/<vendor>/<model>`: whether the gateway has an upstream for such a request. */
export async function getModel(
  gateway: Gateway,
  context: RequestContext,
  family = findFamily(context.request),
): Promise<void> {
  const admitted = admit(gateway, context, family)
  if (admitted === null) return
  await sendModel(gateway, context, admitted, decodePath(belowModels(urlOf(context.request).pathname)))
}

/** Does the same for a name in a field of the request, `model` or `name`: in its body, or for GET in its query. */
export async function describeModel(gateway: Gateway, context: RequestContext, family: WireRoutes): Promise<void> {
  const admitted = admit(gateway, context, family)
  if (admitted === null) return
  const { request } = context
  const fields =
    request.method === 'GET'
      ? ok(Object.fromEntries(urlOf(request).searchParams))
      : await readFields(gateway, context, family)
  if (!fields.ok) return sendError(context, fields.error)
  const { model, name } = fields.value
  const id = model ?? name
  if (typeof id === 'string' && id !== '') await sendModel(gateway, context, admitted, id)
  else sendError(context, NO_MODEL)
}

const NO_MODEL = clientError('invalid_prompt', 'model: expected the name of a model, <vendor>/<model>', 'model')

async function readFields(
  gateway: Gateway,
  context: RequestContext,
  { api }: WireRoutes,
): Promise<Result<Readonly<Record<string, unknown>>>> {
  const fit = checkBody(context, api)
  const received = fit.ok ? await context.body.read(gateway) : fit
  return received.ok ? ok(received.value.body) : received
}

async function sendModel(
  gateway: Gateway,
  context: RequestContext,
  { words, key }: Admitted,
  id: string,
): Promise<void> {
  const permitted = requireModel(key, id)
  const found = permitted.ok ? await gateway.accounts.find(id) : permitted
  if (found.ok) sendJson(context, 200, (words ?? openaiListing(await originsOf(gateway, [id]))).one(id))
  else sendError(context, found.error)
}

/** A client that may read models, and the formats of its client API. */
interface Admitted {
  readonly key: Key
  /** Null: that of OpenAI. */
  readonly words: ModelListing | null
}

/** Authenticates the client; null if a refusal was sent. */
function admit(gateway: Gateway, context: RequestContext, family: WireRoutes | undefined): Admitted | null {
  const { request } = context
  const token = family === undefined ? bearerOf(request) : family.api.keyOf(request)
  const key = authenticate(gateway, token, family?.api.keyPath)
  const fit = key.ok ? requireKind(key.value, 'inference') : key
  if (!fit.ok) {
    sendError(context, fit.error)
    return null
  }
  context.journal.add({ type: 'admitted', key: fit.value.name })
  return { key: fit.value, words: family?.client.models ?? null }
}
