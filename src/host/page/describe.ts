import { callable } from '../../gateway/auth/auth.ts'
import { WIRE_ROUTES } from '../../gateway/clients/client-apis.ts'
import type { Mount } from '../../gateway/config/config.ts'
import { sendJson } from '../../gateway/exchange/send.ts'
import { versionBase } from '../../gateway/routing/cors.ts'
import type { MountDescription, ServerDescription } from '../../page-api/description.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { VERSION } from '../../protocol/version.ts'
import { trimSlashes } from '../../text/trim-slashes.ts'
import { RESPONSES_WIRE } from '../../wires/contract.ts'
import { admitPage } from './admit-page.ts'
import type { PageEndpoint } from './page.ts'

/** `GET /page/api/describe`: what the page can request of this server. */
export const getDescription: PageEndpoint = async (gateway, context, page) => {
  const key = admitPage(gateway, context)
  if (key === null) return
  const { accounts, config } = gateway
  const description = {
    version: VERSION,
    models: callable(key, await accounts.list()),
    vendors: accounts.vendors,
    mounts: config.mounts.map(describeMount),
    content: page.content,
  } satisfies ServerDescription
  sendJson(context, 200, description as unknown as JsonObject)
}

/** The addresses of a mount, for each protocol of its clients. */
export function describeMount({ path, dialect }: Mount): MountDescription {
  const base = trimSlashes(path)
  const others = WIRE_ROUTES.flatMap(({ name, paths, version }) => {
    // Where a protocol has a path for streams, it is the only one that streams.
    const found = paths.find((one) => one.includes(':stream')) ?? paths[0]
    const prefix = version === null ? base : versionBase(base, version)
    return found === undefined ? [] : [{ protocol: name, path: prefix + toTemplate(found) }]
  })
  return { path: base, dialect, clients: [{ protocol: RESPONSES_WIRE, path: `${base}/responses` }, ...others] }
}

/** Without `alt=sse`, streams of this path are one JSON array. */
const toTemplate = (path: string): string => (path.includes('*') ? `${path.replace('*', '{model}')}?alt=sse` : path)
