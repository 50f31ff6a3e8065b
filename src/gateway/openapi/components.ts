import * as z from 'zod'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import { ERROR_CODES } from '../../protocol/error-codes.ts'
import type { JsonObject } from '../../protocol/json.ts'

/** Statuses that only the log contains. */
const NOT_SENT: ReadonlySet<number> = new Set([499])

export function toOutputSchema(schema: z.ZodType): JsonObject {
  const { $schema, ...jsonSchema } = z.toJSONSchema(schema, { io: 'output' })
  return jsonSchema as JsonObject
}

export const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

export const inJson = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } })

export const header = (description: string, schema: JsonObject = { type: 'string' }): JsonObject => ({
  description,
  schema,
})

export const EVERY_ANSWER: JsonObject = {
  'x-request-id': header('Id of this request, also in the log.'),
  'x-ratelimit-limit-requests': header('Requests that the key may send at once.', { type: 'integer' }),
  'x-ratelimit-remaining-requests': header('Requests that remain of them.', { type: 'integer' }),
  'x-ratelimit-reset-requests': header('Time until the limit is fully restored, such as 1m30s.'),
}

/** Headers of a count of tokens. */
export const EVERY_COUNT: JsonObject = {
  ...EVERY_ANSWER,
  'x-responses-estimate': header(
    'Present if the count is an estimate: what it rests on, from how many answers, and why the upstream did not count.',
  ),
}

/** The error format of a client API: the name of its schema, the status of each error, and its additional headers. */
export interface Refusing {
  readonly schema: string
  readonly statusOf: (error: GatewayError) => number
  readonly headers: JsonObject
}

/** The error answers by status, each with its codes. */
export function toRefusals({ schema, statusOf, headers }: Refusing): JsonObject {
  const codes = new Map<number, Set<string>>()
  for (const [code, statuses] of Object.entries(ERROR_CODES)) {
    for (const status of statuses) {
      const sentStatus = statusOf(clientError(code, '', null, status))
      codes.set(sentStatus, (codes.get(sentStatus) ?? new Set()).add(code))
    }
  }
  const every = { ...EVERY_ANSWER, ...headers }
  const sent = [...codes].filter(([status]) => !NOT_SENT.has(status)).sort(([a], [b]) => a - b)
  return Object.fromEntries(
    sent.map(([status, names]): [string, JsonObject] => [
      String(status),
      {
        description: [...names].join(', '),
        headers: status === 429 ? { ...every, 'retry-after': header('Seconds to wait before a retry.') } : every,
        content: inJson(ref(schema)),
      },
    ]),
  )
}
