import type { Config } from '../../gateway/config/config.ts'
import { isLocal } from '../../gateway/config/listening.ts'
import type { RequestContext } from '../../gateway/exchange/request-context.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { type Assets, createAssets } from './assets.ts'
import { createRequestHistory, type ShownHistory } from './request-history.ts'

/** The page of a server, if it has one. */
export interface ServerPage {
  readonly assets: Assets
  readonly history: ShownHistory
  /** Whether other machines cannot reach the server, so that explanations of vendors of the table need no key. */
  readonly isLocal: boolean
  /** Whether the list of requests contains their text. */
  readonly content: boolean
}

/** Answers a request of the page. */
export type PageEndpoint = (gateway: Gateway, context: RequestContext, page: ServerPage) => Promise<void> | void

/** Without a setting, a server has a page if other machines cannot reach it. `clock`: milliseconds since 1970. */
export function createPage({ page, listen }: Pick<Config, 'page' | 'listen'>, clock: () => number): ServerPage | null {
  const isAlone = isLocal(listen)
  const isOn = page ?? isAlone
  if (isOn === false) return null
  const content = typeof isOn === 'object' && isOn.content
  return { assets: createAssets(), history: createRequestHistory(content, clock), isLocal: isAlone, content }
}
