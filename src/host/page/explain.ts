import { type Key, requireKind } from '../../gateway/auth/auth.ts'
import { limitRate } from '../../gateway/auth/rate-limit.ts'
import type { Lease } from '../../gateway/body/body-budget.ts'
import { BUSY, keptCostOf, scanMessage } from '../../gateway/body/body-intake.ts'
import type { RequestContext } from '../../gateway/exchange/request-context.ts'
import { sendAnswer, sendError } from '../../gateway/exchange/send.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { runInSlices } from '../../gateway/run-in-slices.ts'
import type { ExplainQuery } from '../../page-api/explanations.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { REQUEST_LIMITS } from '../../protocol/limits.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import { parseBodyPieces } from '../../validation/body.ts'
import { describeValue, oneOf } from '../../validation/messages.ts'
import { admitPage } from './admit-page.ts'
import {
  DEFAULT_TARGETS,
  EXPLAINED_CLIENTS,
  explainTargets,
  type ParsedBodies,
  type ParsedQueryBody,
} from './explain-targets.ts'
import type { PageEndpoint } from './page.ts'

/** The most wires of vendors in one query, and the most characters of each body. Coding agents send about one million. */
const MOST_TARGETS = 32
const LONGEST_BODY = 4 * 1024 * 1024

/**
 * `POST /page/api/explain`: a request body in the form of each upstream of this server. Nothing is sent to them. Without
 * a key, a server that other machines cannot reach explains it for vendors of the table.
 */
export const postExplain: PageEndpoint = async (gateway, context, { isLocal }) => {
  const isOpen = isLocal && context.request.headers.authorization === undefined
  const key = isOpen ? null : admitPage(gateway, context)
  if (key === null && !isOpen) return
  const refuse = (error: GatewayError): void => sendError(context, error)
  const paced = key === null ? ok(null) : await admitKey(gateway, key, context)
  const readable = paced.ok ? context.body.check(false) : paced
  const received = readable.ok ? await context.body.read(gateway) : readable
  if (!received.ok) return refuse(received.error)
  const query = toQuery(received.value.body)
  if (!query.ok) return refuse(query.error)
  const lease = gateway.bodies.lease()
  void context.closed.then(() => lease.release())
  const parsed = await parseBodies(gateway, query.value, lease)
  if (!parsed.ok) return refuse(parsed.error)
  const answer = await explainTargets(key === null ? null : { gateway, key }, query.value, parsed.value, context.signal)
  await sendAnswer(context, answer as unknown as JsonObject)
}

async function admitKey({ rates }: Gateway, key: Key, context: RequestContext): Promise<Result<unknown>> {
  const fit = requireKind(key, 'inference')
  return fit.ok ? limitRate(rates, key, context) : fit
}

/**
 * Parses the bodies once for all targets. A body that is no JSON fails each explanation, as it would fail each request.
 * The explanations of all targets are in memory at once, each with its own body.
 */
async function parseBodies(
  { bodies }: Gateway,
  { body, previous, targets }: ExplainQuery,
  lease: Lease,
): Promise<Result<ParsedBodies>> {
  const copies = (targets?.length ?? DEFAULT_TARGETS) + 1
  let cost = 0
  const parse = async (text: string): Promise<ParsedQueryBody> => {
    const scanning = bodies.lease()
    const limits = { bytes: Number.POSITIVE_INFINITY, values: REQUEST_LIMITS.values }
    const found = await runInSlices(scanMessage(encoder.encode(text), limits, scanning))
    scanning.release()
    if (!found.ok) return found
    cost += keptCostOf(found.value) * copies
    if (!lease.resize(cost)) return err(BUSY)
    const parsed = await runInSlices(parseBodyPieces(found.value.bytes, found.value.cuts))
    return parsed.ok ? ok(parsed.body) : parsed
  }
  const parsed = { body: await parse(body), previous: previous === undefined ? null : await parse(previous) }
  const isBusy = [parsed.body, parsed.previous].some((one) => one?.ok === false && one.error.code === BUSY.code)
  return isBusy ? err(BUSY) : ok(parsed)
}

const encoder = new TextEncoder()

const wrong = (path: string, expected: string): Result<never> =>
  err(clientError('invalid_prompt', `${path}: expected ${expected}`, path))

function toQuery({ client, body, model, previous, targets }: JsonRecord): Result<ExplainQuery> {
  const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= LONGEST_BODY
  const isName = (value: unknown): value is string | undefined => value === undefined || isNonEmptyString(value)
  if (!isNonEmptyString(client) || !EXPLAINED_CLIENTS.includes(client))
    return wrong('client', `${oneOf(EXPLAINED_CLIENTS)}, got ${describeValue(client)}`)
  if (!isText(body)) return wrong('body', `a text of at most ${LONGEST_BODY} characters`)
  if (previous !== undefined && !isText(previous))
    return wrong('previous', `a text of at most ${LONGEST_BODY} characters`)
  if (!isName(model)) return wrong('model', 'the name of a model')
  if (targets !== undefined && !(Array.isArray(targets) && targets.length <= MOST_TARGETS))
    return wrong('targets', `a list of at most ${MOST_TARGETS} targets`)
  const list = targets?.map((target: unknown) => (isObject(target) ? target : {}))
  const bad =
    list?.findIndex(
      ({ vendor, wire, model: own }) => !isNonEmptyString(vendor) || !isNonEmptyString(wire) || !isName(own),
    ) ?? -1
  if (bad >= 0) return wrong(`targets[${bad}]`, 'a vendor, a wire and perhaps a model')
  return ok({
    client,
    body,
    ...(previous === undefined ? {} : { previous }),
    ...(model === undefined ? {} : { model }),
    ...(list === undefined ? {} : { targets: list as unknown as NonNullable<ExplainQuery['targets']> }),
  })
}
