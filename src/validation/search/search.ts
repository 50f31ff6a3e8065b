import * as z from 'zod'
import type { JsonObject } from '../../protocol/json.ts'
import { expectedType } from '../fields.ts'

/** docs/description.md, 8. */
const MOST_HANDLES = 10

/** Accepts a handle with or without a leading `@`. */
const handle = z
  .string()
  .trim()
  .transform((text) => text.replace(/^@/, ''))
  .pipe(z.string().regex(/^\w{1,50}$/, expectedType('the handle of an account: letters, digits and _')))

const handles = z.array(handle).max(MOST_HANDLES).nullish()

const DATE = 'a date like 2026-01-31'

/** Keeps the day and ignores a time after it, because the search is by days. */
const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(?:T.*)?$/, expectedType(DATE))
  .transform((text) => text.slice(0, 10))
  .pipe(z.iso.date(expectedType(DATE)))
  .nullish()

const flag = z.boolean().nullish()

const hasSome = (list: readonly string[] | null | undefined): boolean => (list?.length ?? 0) > 0

/** Returns the fields that have a value. */
const describeFilter = (fields: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as JsonObject

/** `x_search_filter` (docs/description.md, 2.7). An empty one requests a search of X without a filter. */
export const xSearchFilter: z.ZodType<JsonObject> = z
  // Unknown fields are kept, and become a loss at the upstream that cannot carry them.
  .looseObject({
    allowed_x_handles: handles,
    excluded_x_handles: handles,
    from_date: date,
    to_date: date,
    enable_image_understanding: flag,
    enable_video_understanding: flag,
  })
  .superRefine((filter, context) => {
    const { allowed_x_handles, excluded_x_handles, from_date, to_date } = filter
    if (hasSome(allowed_x_handles) && hasSome(excluded_x_handles)) {
      context.addIssue({
        code: 'custom',
        path: ['excluded_x_handles'],
        message: 'expected either this or allowed_x_handles, got both',
      })
    }
    if (from_date && to_date && from_date > to_date) {
      context.addIssue({ code: 'custom', path: ['to_date'], message: `expected ${from_date} or later, got ${to_date}` })
    }
  })
  .transform(describeFilter)
