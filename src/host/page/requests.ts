import type { JsonObject } from '../../protocol/json.ts'
import type { Endpoint } from '../server/endpoints/refusals.ts'
import { sendJson } from '../server/send.ts'
import { admitPage } from './admit-page.ts'

/** `GET /page/api/requests`: the last requests of the server. */
export const getRequests: Endpoint = (gateway, context) => {
  if (admitPage(gateway, context) === null) return
  sendJson(context, 200, { data: [] } satisfies JsonObject)
}
