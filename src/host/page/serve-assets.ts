import type { AnswerHeaders } from '../../gateway/exchange/http-types.ts'
import type { RequestContext } from '../../gateway/exchange/request-context.ts'
import { sendError } from '../../gateway/exchange/send.ts'
import { pathOf } from '../../gateway/exchange/url.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { refuseUnknown } from '../../gateway/routing/refusals.ts'
import { gatewayError } from '../../protocol/error.ts'
import { HttpReply } from '../server/http-reply.ts'
import type { Asset } from './assets.ts'
import type { PageEndpoint, ServerPage } from './page.ts'

/**
 * The page loads nothing from other sites, has no inline scripts or styles, cannot be shown in a frame of another page,
 * and sends no address to other sites.
 */
const PAGE_HEADERS: AnswerHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const NOT_BUILT = gatewayError(
  'server_error',
  'The files of the page are missing. Build the package with npm run build.',
)

/** `GET /`: the page. */
export const getPage: PageEndpoint = (gateway, context, page) => sendAsset(gateway, context, page, 'index.html')

/** `GET /page/{name}`: a file of the page. */
export const getAsset: PageEndpoint = (gateway, context, page) =>
  sendAsset(gateway, context, page, pathOf(context.request).slice('/page/'.length))

async function sendAsset(
  gateway: Gateway,
  context: RequestContext,
  { assets }: ServerPage,
  name: string,
): Promise<void> {
  const { headers } = context.request
  const asset = await assets.find(name, headers['accept-encoding']).catch(() => undefined)
  if (asset === undefined) return sendError(context, NOT_BUILT)
  if (asset === null) return refuseUnknown(gateway, context)
  const isCurrent = (headers['if-none-match'] ?? '').includes(asset.etag)
  send(context, asset, isCurrent)
}

function send(context: RequestContext, { type, coding, etag, bytes }: Asset, isCurrent: boolean): void {
  const { reply, journal } = context
  if (!(reply instanceof HttpReply) || reply.hasStarted() || reply.isGone()) return
  const status = isCurrent ? 304 : 200
  journal.add({ type: 'sent', status })
  reply.sendBytes(status, isCurrent ? null : bytes, {
    ...PAGE_HEADERS,
    'content-type': type,
    ...(coding === null ? {} : { 'content-encoding': coding }),
    vary: 'accept-encoding',
    etag,
    // The files keep their names, and a newer server may have newer ones.
    'cache-control': 'no-cache',
  })
}
