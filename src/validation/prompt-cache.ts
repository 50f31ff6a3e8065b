import * as z from 'zod'
import { UNSUPPORTED_VALUE } from '../protocol/loss.ts'
import { CACHE_LIFETIMES, type Request } from '../protocol/request.ts'
import { optional, text } from './fields.ts'
import { exceptWhen } from './known-fields.ts'
import { ignoring } from './unknown-fields.ts'

const isLifetime = (value: unknown): boolean => CACHE_LIFETIMES.some((known) => known === value)

/** A lifetime that this service does not have yet is a loss, because upstreams add further ones. */
const ttl = optional(text).transform((value) => CACHE_LIFETIMES.find((known) => known === value) ?? null)
const LIFETIME = { ttl: { why: UNSUPPORTED_VALUE, idle: isLifetime } }

/** The end of a prefix that the upstream is to cache. */
export const promptCacheBreakpoint = ignoring(z.object({ mode: z.literal('explicit'), ttl }), LIFETIME).nullish()

/** Fields about the cache of the whole prompt. `cache_control` is OpenRouter's. */
export const promptCache = {
  prompt_cache_options: optional(
    ignoring(z.object({ mode: optional(z.enum(['implicit', 'explicit'])), ttl }), {
      ...LIFETIME,
      prewarm: { idle: exceptWhen(false) },
    }),
  ),
  prompt_cache_retention: optional(text),
  cache_control: optional(ignoring(z.object({ type: z.literal('ephemeral'), ttl }), LIFETIME)),
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
