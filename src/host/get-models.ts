import { authenticate, bearerOf, requireKind } from './auth.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { sendError, sendJson } from './reply.ts'

/**
 * `GET {mount}/models`, as OpenAI lists them. What models a vendor has only the vendor knows: each stands here as
 * `<vendor>/*`. Recordings stand by their names.
 */
export function getModels({ keys, accounts }: Gateway, exchange: Exchange): void {
  const { headers } = exchange.request
  const sent = [headers['x-api-key'], headers['x-goog-api-key']].find((key) => typeof key === 'string')
  const key = authenticate(keys, sent === undefined ? bearerOf(exchange.request) : String(sent))
  const fit = key.ok ? requireKind(key.value, 'inference') : key
  if (!fit.ok) {
    sendError(exchange, fit.error)
    return
  }
  exchange.entry.key = fit.value.name
  const names = [...accounts.names.map((name) => `${name}/*`), ...accounts.recordings.map((name) => `replay/${name}`)]
  const data = names.map((id) => ({ id, object: 'model', created: 0, owned_by: id.slice(0, id.indexOf('/')) }))
  sendJson(exchange, 200, { object: 'list', data })
}
