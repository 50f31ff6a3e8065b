import type { Dialect } from '../dialects/dialect.ts'
import type { TranslateOptions } from '../engine.ts'
import { FRAMINGS } from '../framing/table.ts'
import type { Limits } from '../protocol/limits.ts'
import type { Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'
import { toEcho } from '../responses/echo.ts'
import { type Origin, openReasoning } from '../responses/envelope.ts'
import { parseBody } from '../validation/body.ts'
import { validateRequest } from '../validation/request.ts'
import type { Destination } from './accounts.ts'
import { type Attempt, failure, success } from './attempt.ts'
import { authenticate, requireKind } from './auth.ts'
import { checkContentType, readBody } from './body.ts'
import type { Config, Mount } from './config.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { noteAsked, noteWire } from './observability-trace.ts'
import type { Call, Source } from './source.ts'
import { chooseDialect } from './spoken.ts'

/** A request that has passed every check: what is asked of whom, and how the answer is to be told. */
export interface Prepared {
  readonly call: Call
  readonly source: Source
  readonly options: TranslateOptions & { readonly limits: Limits }
  readonly losses: readonly Loss[]
}

/** Everything up to the upstream. The first thing that is wrong is what the client is told. */
export async function prepare(gateway: Gateway, mount: Mount, exchange: Exchange): Promise<Attempt<Prepared>> {
  const { request: incoming, entry } = exchange
  const admitted = admit(gateway, exchange)
  if (!admitted.ok) return admitted
  const dialect = chooseDialect(mount, incoming.headers['x-responses-dialect'])
  if (!dialect.ok) return dialect
  entry.dialect = dialect.value.name

  const text = await readBody(incoming, gateway.config.limits.request_body_bytes)
  if (!text.ok) return text
  const body = parseBody(text.value)
  if (!body.ok) return body
  const valid = validateRequest(body.body)
  if (!valid.ok) return valid
  entry.stream = valid.request.stream
  noteAsked(exchange, valid.request, body.body)

  const destination = await gateway.accounts.find(valid.request.model)
  if (!destination.ok) return destination
  entry.vendor = destination.value.account.name
  entry.model = destination.value.model
  noteWire(exchange, destination.value.account.wire)
  return address(gateway, dialect.value, valid.request, destination.value)
}

/** The key, then what the headers say of the body: nothing is read for a stranger. */
function admit({ keys, observability }: Gateway, exchange: Exchange): Attempt<null> {
  const { request, entry } = exchange
  const key = authenticate(keys, request.headers.authorization)
  if (!key.ok) return key
  entry.key = key.value.name
  const fit = requireKind(key.value, 'inference')
  if (!fit.ok) return fit
  exchange.draft = observability.begin(key.value)
  return checkContentType(request)
}

function address(
  gateway: Gateway,
  dialect: Dialect,
  request: Request,
  { account, model }: Destination,
): Attempt<Prepared> {
  const { wire, quirks, source } = account
  const origin: Origin = { wire: wire.name, vendor: account.name, model }
  const open = (sealed: string) => openReasoning(origin, sealed)
  const encoded = wire.encodeRequest(request, { model, quirks, open })
  if (!encoded.ok) return failure(encoded.error)
  const created_at = Math.floor(gateway.clock() / 1000)
  const head = { id: `resp_${gateway.random()}`, created_at, model: request.model, echo: toEcho(request) }
  return success({
    source,
    losses: encoded.losses,
    options: { wire, quirks, dialect, head, origin, limits: toLimits(gateway.config.limits) },
    call: {
      url: join(account.baseUrl, encoded.path),
      headers: {
        'content-type': 'application/json',
        accept: request.stream ? FRAMINGS[wire.framing].mediaTypes[0] : 'application/json',
        'user-agent': 'millrace',
        ...encoded.headers,
        ...(account.key === null ? {} : wire.authorize(account.key, quirks)),
        ...account.headers,
      },
      body: JSON.stringify(encoded.body),
      model,
      stream: request.stream,
    },
  })
}

/** A base URL may have a query of its own (`?api-version=`). */
function join(base: string, path: string): URL {
  const url = new URL(base)
  const [name = '', query = ''] = path.split('?', 2)
  url.pathname = url.pathname.replace(/\/+$/, '') + name
  for (const [key, value] of new URLSearchParams(query)) url.searchParams.set(key, value)
  return url
}

const toLimits = (limits: Config['limits']): Limits => ({
  requestBody: limits.request_body_bytes,
  upstreamEvent: limits.upstream_event_bytes,
  upstreamTotal: limits.upstream_total_bytes,
})
