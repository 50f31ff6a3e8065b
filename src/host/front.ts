import type { IncomingMessage } from 'node:http'
import type { Dialect } from '../dialects/dialect.ts'
import type { TranslateOptions } from '../engine.ts'
import { clientError, type GatewayError } from '../protocol/error.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { joinLosses, type Loss } from '../protocol/loss.ts'
import type { Request, Tool } from '../protocol/request.ts'
import type { Origin, Sign } from '../responses/envelope.ts'
import { isHostedType } from '../responses/hosted-types.ts'
import type { Steps } from '../text/steps.ts'
import { toolPlaces } from '../validation/choice.ts'
import { oneOf, said } from '../validation/issue.ts'
import { validateSteps } from '../validation/request.ts'
import type { ErrorBody } from '../wires/client.ts'
import { asFunctions } from '../wires/custom-tools.ts'
import { OWN_WIRE } from '../wires/registry.ts'
import type { WireName } from '../wires/wire.ts'
import { type Attempt, failure, success } from './attempt.ts'
import { bearerOf } from './auth.ts'
import type { Mount } from './config.ts'
import { type Errand, RESPOND } from './errand.ts'
import { type Exchange, responsesError } from './exchange.ts'
import { chooseDialect } from './spoken.ts'
import { inDialect, type Voice } from './voice.ts'

/** One family of clients: how it presents its key, asks, is answered, and hears of failures. */
export interface Front {
  /** Where its clients put their key, for who has none. */
  readonly keyPlace: string
  /** The header in which its clients look for the id of a request, beside ours. */
  readonly idHeader: string | null
  keyOf(request: IncomingMessage): string | undefined
  errorBody(error: GatewayError, requestId: string): ErrorBody
  /** How this one request is read and answered; the key was good. */
  open(exchange: Exchange): Attempt<Talk>
}

/** What was asked, in the words of the hub. */
export interface Heard {
  readonly request: Request
  readonly losses: readonly Loss[]
  /** Of each of its tools, where it stands in the body of a Responses request. */
  readonly toolPlaces: ReadonlyMap<Tool, string>
  /** A place in the body of a Responses request, in the words of who asked; null: they said nothing of it. */
  readonly toOwnPlace: (path: string) => string | null
  /** As it came. */
  readonly sent: { readonly wire: WireName | null; readonly body: unknown }
  /** What the answer must know of it, and the hub does not. */
  readonly settings: JsonObject
}

/** Whose encrypted reasoning may be marked, and how. */
export interface Sealing {
  readonly origin: Origin
  readonly sign: Sign
}

export interface Talk {
  /** As the log names it. */
  readonly name: string
  /** Of the Responses API; others use it for nothing. */
  readonly dialect: Dialect
  /** The model, where reading depends on who will be asked; else null. */
  modelOf(body: unknown): string | null
  /** In slices. `sealing`: null where it is not known who will be asked. */
  read(body: unknown, sealing: Sealing | null): Steps<Attempt<Heard>>
  voice(options: TranslateOptions, settings: JsonObject): Voice
  readonly toTell: Errand['toTell']
}

/** Clients of the Responses API itself. */
export const responsesFront = (mount: Mount, errand = RESPOND): Front => ({
  keyPlace: '"Authorization: Bearer <key>"',
  idHeader: null,
  keyOf: bearerOf,
  errorBody: responsesError,
  open({ request }) {
    const dialect = chooseDialect(mount, request.headers['x-responses-dialect'])
    return dialect.ok ? success(toTalk(mount, errand, dialect.value)) : dialect
  },
})

/** The types of section 2.5 of the description, and those of this service's own answers. */
const ITEM_TYPES = [
  'message',
  'function_call',
  'function_call_output',
  'reasoning',
  'or another type of item that answers have',
]

/** Rejects an item of unknown type where the dialect's union of items is closed. */
function unknownItem({ inputItems }: Dialect, { input }: Request): GatewayError | null {
  if (inputItems === 'open') return null
  const at = input.findIndex((item) => item.type === 'other' && !isExpected(item.item.type))
  const item = input[at]
  if (item?.type !== 'other') return null
  const place = `input[${at}].type`
  const message = `${place}: expected ${oneOf(ITEM_TYPES)}, got ${said(item.item.type)}`
  return clientError('invalid_prompt', message, place)
}

const isExpected = (type: Json | undefined): boolean => type === 'item_reference' || isHostedType(type)

/** Turns custom tools into functions where the dialect has no item for their calls. */
function withoutCustomTools(
  { items }: Dialect,
  heard: Pick<Heard, 'request' | 'losses'>,
): Pick<Heard, 'request' | 'losses'> {
  if (items.includes('custom_tool_call')) return heard
  const { request, losses } = asFunctions(heard.request)
  return { request, losses: joinLosses(heard.losses, losses) }
}

const toTalk = ({ history }: Mount, { toAsk, toTell }: Errand, dialect: Dialect): Talk => ({
  name: dialect.name,
  dialect,
  modelOf: () => null,
  *read(body) {
    const valid = yield* validateSteps(body, history)
    if (!valid.ok) return valid
    const unknown = unknownItem(dialect, valid.request)
    if (unknown !== null) return failure(unknown)
    const { request, losses } = withoutCustomTools(dialect, valid)
    const places = { toolPlaces: toolPlaces(request), toOwnPlace: (path: string) => path }
    const sent = { wire: OWN_WIRE, body }
    return success({ request: toAsk(request), losses, sent, settings: {}, ...places })
  },
  voice: inDialect,
  toTell,
})
