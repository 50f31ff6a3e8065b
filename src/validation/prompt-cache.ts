import * as z from 'zod'
import { CACHE_LIFETIMES, type Request } from '../protocol/request.ts'
import { optional, text } from './fields.ts'
import { exceptWhen } from './known-fields.ts'
import { ignoring } from './unknown-fields.ts'

const ttl = optional(z.enum(CACHE_LIFETIMES))

/** The end of a prefix that the upstream is to cache. */
export const promptCacheBreakpoint = z.object({ mode: z.literal('explicit'), ttl }).nullish()

/** Fields about the cache of the whole prompt. `cache_control` is OpenRouter's. */
export const promptCache = {
  prompt_cache_options: optional(
    ignoring(z.object({ mode: optional(z.enum(['implicit', 'explicit'])), ttl }), {
      prewarm: { idle: exceptWhen(false) },
    }),
  ),
  prompt_cache_retention: optional(text),
  cache_control: optional(z.object({ type: z.literal('ephemeral'), ttl })),
}

type CacheOptions = Request['prompt_cache_options']

/** `cache_control` at the top level places a breakpoint at the end of the prompt, whatever the options say. */
export const cacheOptionsOf = ({
  prompt_cache_options: options,
  cache_control: control,
}: {
  readonly prompt_cache_options: CacheOptions
  readonly cache_control: Pick<NonNullable<CacheOptions>, 'ttl'> | null
}): CacheOptions => (control === null ? options : { mode: 'implicit', ttl: control.ttl ?? options?.ttl ?? null })
