import type { Config } from '../../gateway/config/config.ts'
import { isLoopback } from '../server/listen.ts'
import { type Assets, createAssets } from './assets.ts'
import { createRequestHistory, type RequestHistory } from './request-history.ts'

/** The page of a server, if it has one. */
export interface ServerPage {
  readonly assets: Assets
  readonly history: RequestHistory
  /** Whether the list of requests contains their text. */
  readonly content: boolean
}

/**
 * Without a setting, a server has a page if other machines cannot reach it: it listens on loopback, and no further
 * hosts are configured, which a proxy on the same machine would need. `clock`: milliseconds since 1970.
 */
export function createPage({ page, listen }: Pick<Config, 'page' | 'listen'>, clock: () => number): ServerPage | null {
  const isOn = page ?? (isLoopback(listen.host) && listen.hosts.length === 0)
  if (isOn === false) return null
  const content = typeof isOn === 'object' && isOn.content
  return { assets: createAssets(), history: createRequestHistory(content, clock), content }
}
