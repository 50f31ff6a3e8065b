import type { IncomingMessage } from 'node:http'
import type { Dialect } from '../../dialects/dialect.ts'
import { dialectTarget, type Target } from '../../engine/target.ts'
import type { TranslateOptions } from '../../engine/translate.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { joinLosses, type Loss } from '../../protocol/loss.ts'
import type { Request, Tool } from '../../protocol/request.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { Origin, Sign } from '../../responses/encrypted-content.ts'
import { isHostedType } from '../../responses/hosted-tools.ts'
import type { Steps } from '../../text/steps.ts'
import { describeValue, oneOf } from '../../validation/messages.ts'
import { validateSteps } from '../../validation/request.ts'
import { toolPaths } from '../../validation/tool-choice.ts'
import type { ClientErrorBody } from '../../wires/client-contract.ts'
import type { WireName } from '../../wires/contract.ts'
import { RESPONSES_WIRE } from '../../wires/registry.ts'
import { asFunctions } from '../../wires/shared/upstream/custom-tools.ts'
import { bearerOf } from '../auth/auth.ts'
import type { Mount } from '../config/config.ts'
import { type Operation, RESPOND } from '../server/endpoints/operations.ts'
import { type RequestContext, responsesError } from '../server/request-context.ts'
import { chooseDialect } from './choose-dialect.ts'

/** One client API: where its clients send their key, how their requests are read and answered, and its error format. */
export interface ClientApi {
  /** Where its clients send their key; quoted if the key is missing. */
  readonly keyPath: string
  /** The header in which its clients expect the id of a request, besides `x-request-id`. */
  readonly idHeader: string | null
  keyOf(request: IncomingMessage): string | undefined
  errorBody(error: GatewayError, requestId: string): ClientErrorBody
  /** Chooses how this request is read and answered. The key is already valid. */
  open(context: RequestContext): Result<RequestCodec>
}

/** A request in the form of the Responses API. */
export interface ParsedRequest {
  readonly request: Request
  readonly losses: readonly Loss[]
  /** The path of each tool in the body of a Responses request. */
  readonly toolPaths: ReadonlyMap<Tool, string>
  /** Translates a path of a Responses body to the client's own path; null for a field that the client did not send. */
  readonly toClientPath: (path: string) => string | null
  /** The request as it was received. */
  readonly sent: { readonly wire: WireName | null; readonly body: unknown }
  /** Settings that the answer needs and that the Responses API has no field for. */
  readonly settings: JsonObject
}

/** The origin of encrypted reasoning that may be sealed, and the function that signs it. */
export interface SealContext {
  readonly origin: Origin
  readonly sign: Sign
}

export interface RequestCodec {
  /** The name in the log. */
  readonly name: string
  /** The dialect of the Responses API; unused by other client APIs. */
  readonly dialect: Dialect
  /** Returns the model if reading the request depends on its upstream; else null. */
  modelOf(body: unknown): string | null
  /** Reads the request in slices. `sealing`: null if the upstream is not known yet. */
  read(body: unknown, sealing: SealContext | null): Steps<Result<ParsedRequest>>
  target(options: TranslateOptions, settings: JsonObject): Target
  readonly mapResponse: Operation['mapResponse']
}

/** The client API of the Responses API itself. */
export const responsesApi = (mount: Mount, operation = RESPOND): ClientApi => ({
  keyPath: '"Authorization: Bearer <key>"',
  idHeader: null,
  keyOf: bearerOf,
  errorBody: responsesError,
  open({ request }) {
    const dialect = chooseDialect(mount, request.headers['x-responses-dialect'])
    return dialect.ok ? ok(toResponsesCodec(mount, operation, dialect.value)) : dialect
  },
})

/** The item types of docs/description.md, 2.5, and the types of items in answers of the gateway. */
const ITEM_TYPES = ['message', 'function_call', 'function_call_output', 'reasoning', 'or another type of output item']

/** Rejects an item of unknown type if the dialect's union of items is closed. */
function unknownItem({ inputItems }: Dialect, { input }: Request): GatewayError | null {
  if (inputItems === 'open') return null
  const at = input.findIndex((item) => item.type === 'other' && !isExpected(item.item.type))
  const item = input[at]
  if (item?.type !== 'other') return null
  const path = `input[${at}].type`
  const message = `${path}: expected ${oneOf(ITEM_TYPES)}, got ${describeValue(item.item.type)}`
  return clientError('invalid_prompt', message, path)
}

const isExpected = (type: Json | undefined): boolean => type === 'item_reference' || isHostedType(type)

/** Turns custom tools into functions if the dialect has no item for their calls. */
function withoutCustomTools(
  { items }: Dialect,
  parsed: Pick<ParsedRequest, 'request' | 'losses'>,
): Pick<ParsedRequest, 'request' | 'losses'> {
  if (items.includes('custom_tool_call')) return parsed
  const { request, losses } = asFunctions(parsed.request)
  return { request, losses: joinLosses(parsed.losses, losses) }
}

const toResponsesCodec = (
  { history }: Mount,
  { mapRequest, mapResponse }: Operation,
  dialect: Dialect,
): RequestCodec => ({
  name: dialect.name,
  dialect,
  modelOf: () => null,
  *read(body) {
    const valid = yield* validateSteps(body, history)
    if (!valid.ok) return valid
    const unknown = unknownItem(dialect, valid.request)
    if (unknown !== null) return err(unknown)
    const { request, losses } = withoutCustomTools(dialect, valid)
    const paths = { toolPaths: toolPaths(request), toClientPath: (path: string) => path }
    const sent = { wire: RESPONSES_WIRE, body }
    return ok({ request: mapRequest(request), losses, sent, settings: {}, ...paths })
  },
  target: dialectTarget,
  mapResponse,
})
