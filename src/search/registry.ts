import { lookup } from '../text/lookup.ts'
import type { EngineName, SearchEngine } from './engine.ts'
import { exa } from './engines/exa.ts'
import { firecrawl } from './engines/firecrawl.ts'
import { parallel } from './engines/parallel.ts'
import { perplexity } from './engines/perplexity.ts'
import { searxng } from './engines/searxng.ts'

export const ENGINES = { exa, firecrawl, parallel, perplexity, searxng } satisfies Record<EngineName, SearchEngine>

export const findEngine = (name: string): SearchEngine | undefined => lookup<SearchEngine>(ENGINES, name)
