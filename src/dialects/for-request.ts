import type { Request } from '../protocol/request.ts'
import type { Dialect } from './dialect.ts'
import { memoizeByDialect } from './memoize.ts'

/** The entry of `include` that requests the pages that a web search found (OpenAI, Responses API, `include`). */
const SOURCES = 'web_search_call.action.sources'

const withoutSources = memoizeByDialect((dialect): Dialect => ({ ...dialect, hidesSources: true }))

/** Returns the dialect without those fields that only `include` adds, unless this request includes them. */
export const dialectFor = (dialect: Dialect, { include }: Pick<Request, 'include'>): Dialect =>
  include.includes(SOURCES) ? dialect : withoutSources(dialect)
