import { gatewayError } from '../../protocol/error.ts'
import type { Endpoint } from '../server/endpoints/refusals.ts'
import { sendError } from '../server/send.ts'
import { admitPage } from './admit-page.ts'

/** `POST /page/api/explain`: a request body in the form of each upstream of this server. */
export const postExplain: Endpoint = (gateway, context) => {
  if (admitPage(gateway, context) === null) return
  sendError(context, gatewayError('not_implemented', 'This server cannot explain requests.'))
}
