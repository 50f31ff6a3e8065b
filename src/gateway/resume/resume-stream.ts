import { findDialect } from '../../dialects/registry.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { authenticate, bearerOf, type KeyRing, requireKind } from '../auth/auth.ts'
import { limitRate, type RateStore } from '../auth/rate-limit.ts'
import type { Prepared } from '../call/prepare-request.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendError } from '../exchange/send.ts'
import { decodePath, urlOf } from '../exchange/url.ts'
import { type Awaitable, awaited, runInSlices, type Work } from '../run-in-slices.ts'
import { EventRing, type FirstEvent, type Unheld } from './event-ring.ts'
import { KeptContext, RESUME_HEADER } from './kept-context.ts'
import type { ResumableStreams } from './resumable-streams.ts'

/** The part of a gateway that resumes streams. */
interface Resumer extends KeyRing {
  /** Null if no stream may be resumed. */
  readonly resumable: ResumableStreams | null
  readonly rates: RateStore
}

/**
 * The exchange of a request whose client may resume the stream of its answer: the given one for all other requests.
 * Streams without numbers of their events cannot be resumed.
 */
export function keepStream(gateway: Resumer, { options, pass }: Prepared, context: RequestContext): RequestContext {
  const { resumable } = gateway
  if (resumable === null || context.request.headers[RESUME_HEADER] !== '1') return context
  const { journal, reply, request } = context
  const { target } = options
  const isNumbered = findDialect(target.name)?.numbered === true
  if (journal.last('read')?.stream !== true || !isNumbered || !reply.hasHead) return context
  const key = authenticate(gateway, bearerOf(request))
  if (!key.ok) return context
  const { id } = key.value
  const begin = (first: Uint8Array | null) => {
    // A promise that cannot be kept would be worse than none.
    const event = first === null ? null : firstEvent(first)
    if (first !== null && (event === null || resumable.isTaken(id, event.responseId))) return null
    const stream = resumable.begin(context, id, target)
    if (stream !== null) reply.setHeader(RESUME_HEADER, resumable.limits.seconds)
    return stream
  }
  return new KeptContext(context, begin, pass !== null)
}

function firstEvent(frames: Uint8Array): FirstEvent | null {
  const ring = new EventRing()
  ring.add(frames)
  return ring.first() ?? null
}

/** `GET {mount}/responses/<id>?stream=true&starting_after=<number>`: the events of a stream after one that was received. */
export const resumeStream = (gateway: Resumer, context: RequestContext): Awaitable<void> =>
  runInSlices(handleReturn(gateway, context))

function* handleReturn(gateway: Resumer, context: RequestContext): Work<void> {
  const { request, journal } = context
  const key = authenticate(gateway, bearerOf(request))
  const fit = key.ok ? requireKind(key.value, 'inference') : key
  if (!fit.ok) return sendError(context, fit.error)
  journal.add({ type: 'admitted', key: fit.value.name })
  const paced = yield* awaited(limitRate(gateway.rates, fit.value, context))
  return paced.ok ? returnTo(gateway, fit.value.id, context) : sendError(context, paced.error)
}

const returnTo: (gateway: Resumer, key: string, context: RequestContext) => void = (gateway, key, context) => {
  const { request, journal } = context
  const { pathname, searchParams } = urlOf(request)
  const after = numberIn(searchParams.get('starting_after') ?? request.headers['last-event-id'])
  if (!after.ok) return sendError(context, after.error)
  if (searchParams.get('stream') !== 'true') return sendError(context, NOT_STORED)
  const id = decodePath(pathname.slice(pathname.lastIndexOf('/') + 1))
  const stream = gateway.resumable?.find(key, id)
  if (stream === undefined) return sendError(context, UNKNOWN)
  const missed = stream.after(after.value)
  if (typeof missed === 'string') return sendError(context, UNHELD[missed])
  journal.add({ type: 'read', stream: true, model: null })
  context.reply.setHeader(RESUME_HEADER, gateway.resumable?.limits.seconds ?? 0)
  stream.resume(context, missed)
}

const WHERE = 'starting_after'

function numberIn(text: string | string[] | undefined): Result<number | null> {
  if (text === undefined || text === '') return ok(null)
  return typeof text === 'string' && /^\d{1,15}$/.test(text)
    ? ok(Number(text))
    : err(clientError('invalid_prompt', `${WHERE}: expected the sequence_number of an event`, WHERE))
}

const NOT_STORED = clientError(
  'not_found',
  'This server stores no responses. The stream of an open one is resumed with stream=true&starting_after=<sequence_number>.',
)

/** The same for a stream of another key, so that nothing shows that there is one. */
const UNKNOWN = clientError(
  'not_found',
  'No stream of this response can be resumed: its request did not opt in, its time is over, or another server or key began it.',
)

const UNHELD: Readonly<Record<Unheld, GatewayError>> = {
  dropped: clientError(
    'events_dropped',
    'The events after this one are not held any more: the stream had more bytes than this server holds of one. Send the request again.',
    WHERE,
  ),
  ahead: clientError('invalid_prompt', `${WHERE}: the stream has no event of this number yet`, WHERE),
}
