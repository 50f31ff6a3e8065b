import { z } from 'zod'
import { DIALECTS } from '../dialects/registry.ts'
import { ERROR_CODES } from '../protocol/error-codes.ts'
import type { JsonObject } from '../protocol/json.ts'
import { bodyOf } from '../validation/request.ts'
import { toInputSchema } from '../validation/shown.ts'
import type { Mount } from './config.ts'
import { compaction, errorBody, RESPONSES } from './openapi-answers.ts'

const DESCRIPTION =
  'A text-generation interface compatible with the Responses API. It is stateless: every request carries the whole ' +
  'conversation, and nothing is stored.'

/** Of the interface, not of this package (description, section 9). */
const VERSION = '1.0.0'

/** What the log alone hears of. */
const UNHEARD: ReadonlySet<number> = new Set([499])

function toOutputSchema(schema: z.ZodType): JsonObject {
  const { $schema, ...told } = z.toJSONSchema(schema, { io: 'output' })
  return told as JsonObject
}

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

const header = (description: string, schema: JsonObject = { type: 'string' }): JsonObject => ({ description, schema })

const EVERY_ANSWER: JsonObject = {
  'x-request-id': header('The id of this request, as logs name it.'),
  'x-ratelimit-limit-requests': header('How many requests may come at once.', { type: 'integer' }),
  'x-ratelimit-remaining-requests': header('How many of them are left.', { type: 'integer' }),
  'x-ratelimit-reset-requests': header('Until all of them are back, e.g. 1m30s.'),
}

/** The refusals, by status, each with its codes. */
function toRefusals(): JsonObject {
  const codes = new Map<number, string[]>()
  for (const [code, statuses] of Object.entries(ERROR_CODES)) {
    for (const status of statuses) codes.set(status, [...(codes.get(status) ?? []), code])
  }
  const heard = [...codes].filter(([status]) => !UNHEARD.has(status)).sort(([a], [b]) => a - b)
  return Object.fromEntries(
    heard.map(([status, names]): [string, JsonObject] => [
      String(status),
      {
        description: names.join(', '),
        headers: status === 429 ? { ...EVERY_ANSWER, 'retry-after': header('Seconds to wait.') } : EVERY_ANSWER,
        content: { 'application/json': { schema: ref('Error') } },
      },
    ]),
  )
}

const toOperation = ({ dialect }: Mount): JsonObject => ({
  operationId: 'createResponse',
  summary: 'Creates a response, whole or as a stream.',
  parameters: [
    {
      name: 'x-responses-dialect',
      in: 'header',
      description: `The dialect of this answer; left out: ${dialect}.`,
      schema: { enum: Object.keys(DIALECTS) },
    },
    { name: 'x-request-id', in: 'header', description: 'An id of your own.', schema: { type: 'string' } },
  ],
  requestBody: { required: true, content: { 'application/json': { schema: ref('Request') } } },
  responses: {
    '200': {
      description: 'The response, or with `stream` its events.',
      headers: EVERY_ANSWER,
      content: {
        'application/json': { schema: ref('Response') },
        'text/event-stream': {
          schema: { type: 'string', description: `Events of the dialect ${dialect}; the last line is data: [DONE].` },
        },
      },
    },
    ...toRefusals(),
  },
})

const toCompactOperation = (): JsonObject => ({
  operationId: 'compactResponse',
  summary: 'Sums a conversation up as one item, which stands for it in the input of the next request.',
  requestBody: { required: true, content: { 'application/json': { schema: ref('Request') } } },
  responses: {
    '200': {
      description: 'The compaction.',
      headers: EVERY_ANSWER,
      content: { 'application/json': { schema: ref('Compaction') } },
    },
    ...toRefusals(),
  },
})

/** What a mount serves, in OpenAPI 3.1: of the schemas that check the requests, not written beside them. */
export const toOpenApi = (mount: Mount): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'Stateless Responses API', version: VERSION, description: DESCRIPTION },
  servers: [{ url: mount.path === '' ? '/' : mount.path }],
  security: [{ key: [] }],
  paths: {
    '/responses': { post: toOperation(mount) },
    '/responses/compact': { post: toCompactOperation() },
    '/openapi.json': {
      get: {
        operationId: 'getDescription',
        summary: 'This description.',
        security: [],
        responses: {
          '200': { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
        },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Request: toInputSchema(bodyOf(mount.history)) as JsonObject,
      Response: toOutputSchema(RESPONSES[mount.dialect]),
      Compaction: toOutputSchema(compaction),
      Error: toOutputSchema(errorBody),
    },
  },
})
