import type { Request } from '../protocol/request.ts'
import type { Dialect } from './dialect.ts'
import { perDialect } from './per-dialect.ts'

/** The word of `include` for the pages that a web search found (OpenAI). */
const SOURCES = 'web_search_call.action.sources'

const withoutSources = perDialect((dialect): Dialect => ({ ...dialect, hidesSources: true }))

/** A dialect as it answers this request: without what is told on request only. */
export const dialectFor = (dialect: Dialect, { include }: Pick<Request, 'include'>): Dialect =>
  include.includes(SOURCES) ? dialect : withoutSources(dialect)
