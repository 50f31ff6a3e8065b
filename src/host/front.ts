import type { IncomingMessage } from 'node:http'
import type { Dialect } from '../dialects/dialect.ts'
import type { TranslateOptions } from '../engine.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Loss } from '../protocol/loss.ts'
import type { Request, Tool } from '../protocol/request.ts'
import type { Origin, Sign } from '../responses/envelope.ts'
import type { Steps } from '../text/steps.ts'
import { toolPlaces } from '../validation/choice.ts'
import { validateSteps } from '../validation/request.ts'
import type { ErrorBody } from '../wires/client.ts'
import { OWN_WIRE } from '../wires/registry.ts'
import type { WireName } from '../wires/wire.ts'
import { type Attempt, success } from './attempt.ts'
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

const toTalk = ({ history }: Mount, { toAsk, toTell }: Errand, dialect: Dialect): Talk => ({
  name: dialect.name,
  dialect,
  modelOf: () => null,
  *read(body) {
    const valid = yield* validateSteps(body, history)
    if (!valid.ok) return valid
    const { request, losses } = valid
    const places = { toolPlaces: toolPlaces(request), toOwnPlace: (path: string) => path }
    const sent = { wire: OWN_WIRE, body }
    return success({ request: toAsk(request), losses, sent, settings: {}, ...places })
  },
  voice: inDialect,
  toTell,
})
