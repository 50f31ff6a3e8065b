import { lookup } from '../text/lookup.ts'
import type { EngineName, SearchEngine } from './engine.ts'
import { exa } from './exa/index.ts'
import { firecrawl } from './firecrawl/index.ts'
import { parallel } from './parallel/index.ts'
import { perplexity } from './perplexity/index.ts'
import { searxng } from './searxng/index.ts'

export const ENGINES = { exa, firecrawl, parallel, perplexity, searxng } satisfies Record<EngineName, SearchEngine>

export const findEngine = (name: string): SearchEngine | undefined => lookup<SearchEngine>(ENGINES, name)
