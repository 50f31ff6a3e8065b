import type { Json, JsonObject, JsonRecord } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { isObject, toCamel } from '../../text/json.ts'
import { valueAt } from '../../text/json-path.ts'
import { type SettingName, shapeOf } from '../../wires/body-contract.ts'
import type { Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { withValue } from '../../wires/shared/passthrough/members.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import type { ClientRequest } from '../client-request.ts'

/** The upstream, as far as it decides which form it takes. */
interface OwnRoute {
  readonly wire: Wire
  readonly quirks: Quirks
  readonly model: string
}

/** The request, its encoded body, and the losses of its encoding, with the client's own paths. */
interface EncodedRequest {
  readonly request: Request
  readonly body: JsonObject
  readonly losses: readonly Loss[]
}

/** A setting of which protocols have several forms: a step, and a budget that the hub reads as the nearest step. */
const SETTING: SettingName = 'reasoning.effort'

/**
 * Puts the budget of a client back in the place of the one that the hub made of its step, for an upstream of the client's
 * own protocol, if it takes this budget, and the request still has that step. `kept`: the client's own paths of such
 * values.
 */
export function keepOwnForms(
  { sent, losses, request: given }: ClientRequest,
  { request, body: encoded, losses: found }: EncodedRequest,
  { wire, quirks, model }: OwnRoute,
): { readonly body: JsonObject; readonly kept: ReadonlySet<string> } {
  const kept = new Set<string>()
  const isChanged = request.reasoning?.effort !== given.reasoning?.effort
  if (isChanged || !isObject(sent.body)) return { body: encoded, kept }
  const budgets = losses.filter(
    ({ path, action }) => action === 'mapped' && typeof valueAt(sent.body, path) === 'number',
  )
  const places = [shapeOf(wire).settings[SETTING] ?? SETTING].flat()
  let body = encoded
  for (const { path } of budgets) {
    const place = places.find((one) => (one === path || isBeside(one, path)) && valueAt(body, one) !== undefined)
    const isRefused = found.some((loss) => loss.path === path)
    if (place === undefined || isRefused || refusesBudget(sent.body, { wire, quirks, model })) continue
    kept.add(path)
    const steps = place.split('.')
    const own = valueAt(sent.body, path) as Json
    if (isSame(place, path)) body = withValue(body, steps, own)
    else {
      const name = path.slice(path.lastIndexOf('.') + 1)
      body = withValue(withValue(body, [...steps.slice(0, -1), name], own), steps, undefined)
    }
  }
  return { body, kept }
}

const refusesBudget = (body: JsonRecord, { wire, quirks, model }: OwnRoute): boolean =>
  (wire.passthrough?.request.rules?.refusedForms?.(body, factsOf({ model, quirks }, wire.name)) ?? []).length > 0

const isSame = (place: string, path: string): boolean => inCamel(place) === inCamel(path)

/** Whether both are members of the same object, which is not the body: `reasoning.effort` and `reasoning.max_tokens`. */
const isBeside = (place: string, path: string): boolean => {
  const [own, other] = [inCamel(place), inCamel(path)].map((one) => one.slice(0, Math.max(0, one.lastIndexOf('.'))))
  return own !== '' && own === other
}

const inCamel = (path: string): string => path.split('.').map(toCamel).join('.')
