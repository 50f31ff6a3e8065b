import type { RequestContext } from '../../gateway/exchange/request-context.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Assets } from './assets.ts'
import type { ShownHistory } from './request-history.ts'

/** The page of a server, if it has one. */
export interface ServerPage {
  readonly assets: Assets
  readonly history: ShownHistory
  /** Whether other machines cannot reach the server, so that explanations of vendors of the table need no key. */
  readonly isLocal: boolean
  /** Whether the list of requests contains their text. */
  readonly content: boolean
}

export type PageEndpoint = (gateway: Gateway, context: RequestContext, page: ServerPage) => Promise<void> | void
