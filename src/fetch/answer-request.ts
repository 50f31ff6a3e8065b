import { recordExchange, reportBug } from '../gateway/endpoints/exchange-end.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { type CrossSiteCheck, createCrossSiteCheck } from '../gateway/routing/cross-site.ts'
import { findEndpoint } from '../gateway/routing/find-endpoint.ts'
import { refuseWith } from '../gateway/routing/refusals.ts'
import { type Routes, toRoutes } from '../gateway/routing/routes.ts'
import type { Log } from '../gateway/telemetry/log.ts'
import type { FetchContext } from './fetch-context.ts'

/** The table and the check that decide the endpoint of a request. */
interface Entrance {
  readonly routes: Routes
  readonly crossSiteFault: CrossSiteCheck
}

/** The address that requests are sent to is the platform's: the name of the host is checked only if it is configured. */
export const openEntrance = (gateway: Gateway): Entrance => ({
  routes: toRoutes(gateway, { paths: [], admitSocket: null }),
  crossSiteFault: createCrossSiteCheck({ ...gateway.config.listen, mounts: gateway.config.mounts, host: null }),
})

interface FetchExchange {
  readonly gateway: Gateway
  readonly context: FetchContext
  readonly log: Log
  /** The platform waits for the work after an answer: its traces are sent at once. */
  readonly isFollowed: boolean
}

/** Answers a request, and logs one line for it. Resolves when nothing is left to be done. Never rejects. */
export async function answerRequest(
  { routes, crossSiteFault }: Entrance,
  { gateway, context, log, isFollowed }: FetchExchange,
): Promise<void> {
  try {
    const fault = crossSiteFault(context.request)
    const endpoint = fault === null ? findEndpoint(routes, context) : refuseWith(fault)
    await endpoint(gateway, context)
    await context.delivery
  } catch (error) {
    reportBug(context, error, log)
  }
  await context.closed
  recordExchange(gateway, context, log)
  if (isFollowed && context.trace !== null) await gateway.observability.flush()
}
