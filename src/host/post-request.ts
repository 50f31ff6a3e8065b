import type { GatewayError } from '../protocol/error.ts'
import { redactError } from '../protocol/redact.ts'
import { attemptUpstream } from './attempt-upstream.ts'
import type { Exchange } from './exchange.ts'
import type { Front } from './front.ts'
import type { Gateway } from './gateway.ts'
import { noteLosses } from './losses.ts'
import { type Prepared, prepare } from './prepare.ts'
import { sendError } from './reply.ts'
import { rest, retryDelay } from './retry.ts'
import { searchBefore } from './search-before.ts'
import { attemptWithSearch } from './search-legs.ts'

/** A request of any client. Resolves when the answer has been said, whatever it was. */
export async function postRequest(gateway: Gateway, front: Front, exchange: Exchange): Promise<void> {
  const prepared = await prepare(gateway, front, exchange)
  if (!prepared.ok) return sendError(exchange, prepared.error)
  const begun = await searchBefore(gateway, prepared.value, exchange)
  if (!begun.ok) return sendError(exchange, begun.error)
  noteLosses(exchange, begun.value.losses)
  const error = await answer(gateway, begun.value, exchange)
  if (error !== null) sendError(exchange, redactError(error, begun.value.options.redact))
}

/** Tries again for as long as nothing was sent to the client, and there is hope. */
async function answer(gateway: Gateway, first: Prepared, exchange: Exchange): Promise<GatewayError | null> {
  let prepared = first
  for (let tries = 1; ; tries += 1) {
    const attempt = prepared.search === null ? attemptUpstream : attemptWithSearch
    const error = await attempt(gateway, prepared, exchange)
    if (error === null || exchange.signal.aborted) return error
    const unsealed = error.code === 'invalid_encrypted_content' ? prepared.unsealed() : null
    const delay = unsealed === null ? retryDelay(error, tries, gateway.jitter(), gateway.config.retry) : 0
    if (delay === null) return error
    if (unsealed !== null) {
      prepared = unsealed
      noteLosses(exchange, prepared.losses)
    }
    exchange.entry.retries += 1
    await rest(delay, exchange.signal)
    if (exchange.signal.reason !== null) return exchange.signal.reason
  }
}
