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

const describe = (id: string): JsonObject => ({ id, object: 'model', created: 0, owned_by: id.split('/', 1).join() })

/**
 * The format for clients of the Responses API and of other OpenAI APIs. `created` is 0, because the gateway has no
 * dates of models.
 */
const OPENAI: ModelListing = { one: describe, list: (ids) => ({ object: 'list', data: ids.map(describe) }) }

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
  const list = admitted.words.list(callable(admitted.key, await gateway.accounts.list()))
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
  { accounts }: Gateway,
  context: RequestContext,
  { words, key }: Admitted,
  id: string,
): Promise<void> {
  const permitted = requireModel(key, id)
  const found = permitted.ok ? await accounts.find(id) : permitted
  if (found.ok) sendJson(context, 200, words.one(id))
  else sendError(context, found.error)
}

/** A client that may read models, and the formats of its client API. */
interface Admitted {
  readonly key: Key
  readonly words: ModelListing
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
  return { key: fit.value, words: family?.client.models ?? OPENAI }
}
