import type { Dialect } from '../dialects/dialect.ts'
import type { TranslateOptions } from '../engine.ts'
import { FRAMINGS } from '../framing/table.ts'
import type { Limits } from '../protocol/limits.ts'
import { dropped, type Loss } from '../protocol/loss.ts'
import type { InputItem, Request } from '../protocol/request.ts'
import type { Head } from '../protocol/response.ts'
import { toEcho } from '../responses/echo.ts'
import { type Origin, openReasoning } from '../responses/envelope.ts'
import { parseBody } from '../validation/body.ts'
import { validateRequest } from '../validation/request.ts'
import { withCustomTools } from '../wires/custom-tools.ts'
import type { Destination } from './accounts.ts'
import { type Attempt, failure, success } from './attempt.ts'
import { authenticate, requireKind } from './auth.ts'
import { checkContentType, readBody } from './body.ts'
import type { Config, Mount } from './config.ts'
import type { Errand } from './errand.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { noteAsked, noteWire } from './observability-trace.ts'
import { limitRate } from './rate-limit.ts'
import type { Call, Source } from './source.ts'
import { chooseDialect } from './spoken.ts'

/** A request that has passed every check: what is asked of whom, and how the answer is to be told. */
export interface Prepared {
  readonly call: Call
  readonly source: Source
  readonly options: TranslateOptions & { readonly limits: Limits }
  readonly losses: readonly Loss[]
  readonly toTell: Errand['toTell']
  /** The same without encrypted reasoning, which the upstream could not read; null where there is none. */
  unsealed(): Prepared | null
}

/** Everything up to the upstream. The first thing that is wrong is what the client is told. */
export async function prepare(
  gateway: Gateway,
  mount: Mount,
  exchange: Exchange,
  errand: Errand,
): Promise<Attempt<Prepared>> {
  const { request: incoming, entry } = exchange
  const admitted = await admit(gateway, exchange)
  if (!admitted.ok) return admitted
  const dialect = chooseDialect(mount, incoming.headers['x-responses-dialect'])
  if (!dialect.ok) return dialect
  entry.dialect = dialect.value.name

  const text = await readBody(incoming, gateway.config.limits.request_body_bytes)
  if (!text.ok) return text
  const body = parseBody(text.value)
  if (!body.ok) return body
  const valid = validateRequest(body.body, mount.history)
  if (!valid.ok) return valid
  const request = errand.toAsk(valid.request)
  entry.stream = request.stream
  noteAsked(exchange, request, body.body)

  const destination = await gateway.accounts.find(request.model)
  if (!destination.ok) return destination
  entry.vendor = destination.value.account.name
  entry.model = destination.value.model
  noteWire(exchange, destination.value.account.wire)
  const asked = { request, dialect: dialect.value, toTell: errand.toTell, losses: valid.losses }
  return address(gateway, asked, destination.value)
}

/** The key, its pace, then what the headers say of the body: nothing is read for a stranger. */
async function admit({ keys, rates, observability }: Gateway, exchange: Exchange): Promise<Attempt<null>> {
  const { request, entry } = exchange
  const key = authenticate(keys, request.headers.authorization)
  if (!key.ok) return key
  entry.key = key.value.name
  const fit = requireKind(key.value, 'inference')
  if (!fit.ok) return fit
  exchange.draft = observability.begin(key.value)
  const paced = await limitRate(rates, key.value, exchange)
  return paced.ok ? checkContentType(request) : paced
}

/** What a client asks, before it is known how its upstream is asked. */
interface Asked extends Pick<Prepared, 'toTell' | 'losses'> {
  readonly request: Request
  readonly dialect: Dialect
}

function address(gateway: Gateway, asked: Asked, destination: Destination): Attempt<Prepared> {
  const { request, dialect, toTell } = asked
  const { account, model } = destination
  const { sign } = gateway
  const { quirks, source } = account
  const wire = withCustomTools(account.wire, request, quirks)
  const origin: Origin = { wire: wire.name, vendor: account.name, model }
  const open = (sealed: string) => openReasoning(origin, sealed, sign)
  const encoded = wire.encodeRequest(request, { model, quirks, open })
  if (!encoded.ok) return failure(encoded.error)
  const head = toHead(request, `resp_${gateway.random()}`, Math.floor(gateway.clock() / 1000))
  return success({
    source,
    toTell,
    losses: [...asked.losses, ...encoded.losses],
    unsealed: () => withoutSeals(gateway, asked, destination),
    options: {
      wire,
      quirks,
      dialect,
      head,
      origin,
      ...(sign === undefined ? {} : { sign }),
      limits: toLimits(gateway.config.limits),
    },
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

function withoutSeals(gateway: Gateway, asked: Asked, destination: Destination): Prepared | null {
  const { input } = asked.request
  const places = input.flatMap((item, at) => (isSealed(item) ? [`input[${at}].encrypted_content`] : []))
  if (places.length === 0) return null
  const losses = [...asked.losses, ...places.map((place) => dropped(place, 'the upstream could not read it'))]
  const request = { ...asked.request, input: input.map(unseal) }
  const again = address(gateway, { ...asked, request, losses }, destination)
  return again.ok ? again.value : null
}

const isSealed = (item: InputItem): boolean => item.type === 'reasoning' && item.encrypted_content !== null

const unseal = (item: InputItem): InputItem => (item.type === 'reasoning' ? { ...item, encrypted_content: null } : item)

const toHead = (request: Request, id: string, created_at: number): Head => ({
  id,
  created_at,
  model: request.model,
  echo: toEcho(request),
  names: request.names,
})

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
