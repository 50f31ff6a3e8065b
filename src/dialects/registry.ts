import { lookup } from '../text/lookup.ts'
import { beta } from './beta.ts'
import type { Dialect, DialectName } from './dialect.ts'
import { openai } from './openai.ts'

/** A new dialect is one file and one line here. */
export const DIALECTS = { beta, openai } satisfies Record<DialectName, Dialect>

export const findDialect = (name: string): Dialect | undefined => lookup<Dialect>(DIALECTS, name)
