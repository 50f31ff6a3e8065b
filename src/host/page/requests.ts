import type { Key } from '../../gateway/auth/auth.ts'
import type { RequestContext } from '../../gateway/exchange/request-context.ts'
import { sendJson } from '../../gateway/exchange/send.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { admitPage } from './admit-page.ts'
import type { PageEndpoint, ServerPage } from './page.ts'

/**
 * `GET /page/api/requests`: the last requests of the server, the oldest first; for a client that accepts event streams,
 * a list of those that have changed in each event, all of them in the first.
 */
export const getRequests: PageEndpoint = (gateway, context, page) => {
  const key = admitPage(gateway, context)
  if (key === null) return
  if ((context.request.headers.accept ?? '').includes('text/event-stream'))
    return streamRequests(gateway, page, key, context)
  const data = page.history.list(key)
  sendJson(context, 200, { data } as unknown as JsonObject, { 'cache-control': 'no-store' })
}

/** Time between two events. A request that runs changes more often than a reader can follow. */
const EVERY_MS = 250

const SSE = { format: 'sse', keepAlive: ': keep-alive\n\n' } as const

function streamRequests(gateway: Gateway, { history }: ServerPage, key: Key, context: RequestContext): void {
  const changed = new Set<string>()
  let isFull = false
  const stream = context.reply.openStream(context.journal, SSE, {
    keepAliveMs: gateway.config.keep_alive_seconds * 1000,
    onFull: () => {
      isFull = true
    },
    onDrain: () => {
      isFull = false
    },
  })
  const unwatch = history.watch((id) => changed.add(id))
  // A reader needs the first event even if it is empty: it shows that the list is complete.
  stream.write(toEvent(history.list(key)))
  const timer = setInterval(() => {
    // The key may have been removed from the configuration, and a server that stops does not wait for this stream.
    const isOver = gateway.isDraining() || !gateway.keys.some(({ id }) => id === key.id)
    if (isOver) return stream.end(new Uint8Array())
    for (const id of history.running()) changed.add(id)
    if (isFull || changed.size === 0) return
    const entries = history.list(key, changed)
    changed.clear()
    if (entries.length > 0) stream.write(toEvent(entries))
  }, EVERY_MS)
  timer.unref()
  const onClose = (): void => {
    clearInterval(timer)
    unwatch()
  }
  context.reply.onClose({ onClose })
}

const toEvent = (entries: ReturnType<ServerPage['history']['list']>): Uint8Array =>
  Buffer.from(`data: ${JSON.stringify(entries)}\n\n`)
