import type { IgnoredFields } from '../../../validation/known-fields.ts'

/** `cache_control` marks content for Anthropic's cache. Other vendors decide on their own what they cache. */
export const CACHE = {
  cache_control: { why: 'cache breakpoints are not supported' },
} as const satisfies IgnoredFields
