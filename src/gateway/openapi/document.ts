import { DIALECTS } from '../../dialects/registry.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { lookup } from '../../text/lookup.ts'
import { bodyOf } from '../../validation/body-schema.ts'
import { toInputSchema } from '../../validation/json-schema.ts'
import type { Mount } from '../config/config.ts'
import {
  EVERY_ANSWER,
  EVERY_COUNT,
  header,
  inJson,
  type Refusing,
  ref,
  toOutputSchema,
  toRefusals,
} from './components.ts'
import { familyErrors, familyPaths, familySchemas, familySecurity, MODEL } from './paths.ts'
import {
  compaction,
  destinationList,
  errorBody,
  listErrorBody,
  modelList,
  oneModel,
  RESPONSES,
  tokenCount,
} from './responses.ts'

const DESCRIPTION =
  'An API for text generation that is compatible with the Responses API. It is stateless: every request contains the ' +
  'whole conversation, and nothing is stored.'

/** The version of the interface, not of this package (docs/description.md, 9). */
const VERSION = '1.0.0'

const REFUSING: Refusing = { schema: 'Error', statusOf: ({ status }) => status, headers: {} }

const toEvents = (dialect: string): JsonObject => ({
  'text/event-stream': {
    schema: { type: 'string', description: `Events of the dialect ${dialect}. The last line is \`data: [DONE]\`.` },
  },
})

const parameter = (name: string, schema: JsonObject): JsonObject => ({ name, in: 'query', schema })

const toOperation = ({ dialect }: Mount): JsonObject => ({
  operationId: 'createResponse',
  summary: 'Creates a response, streamed or as one body.',
  parameters: [
    {
      name: 'x-responses-dialect',
      in: 'header',
      description: `Dialect of the answer. Default: ${dialect}.`,
      schema: { enum: Object.keys(DIALECTS) },
    },
    {
      name: 'x-request-id',
      in: 'header',
      description: 'Id of the request, chosen by the client. Default: a new id.',
      schema: { type: 'string' },
    },
  ],
  requestBody: { required: true, content: inJson(ref('Request')) },
  responses: {
    '200': {
      description: 'The response, or its events if `stream` is true.',
      headers: EVERY_ANSWER,
      content: {
        'application/json': { schema: ref('Response') },
        ...toEvents(dialect),
      },
    },
    ...toRefusals(REFUSING),
  },
})

const toResumeOperation = ({ dialect }: Mount): JsonObject => ({
  operationId: 'resumeResponse',
  summary: 'Returns the events of an open stream after one that was received. Its request has opted in.',
  parameters: [
    { name: 'id', in: 'path', required: true, description: 'Id of the response.', schema: { type: 'string' } },
    { ...parameter('stream', { const: 'true' }), required: true },
    {
      ...parameter('starting_after', { type: 'integer', minimum: 0 }),
      description: '`sequence_number` of the last event that was received. Default: the stream begins anew.',
    },
    {
      name: 'last-event-id',
      in: 'header',
      description: 'The same, for a request without `starting_after`.',
      schema: { type: 'integer', minimum: 0 },
    },
  ],
  responses: {
    '200': {
      description: 'The further events.',
      headers: {
        ...EVERY_ANSWER,
        'x-millrace-resume': header('Seconds for which the stream stays after its client has left.', {
          type: 'integer',
        }),
      },
      content: toEvents(dialect),
    },
    ...toRefusals(REFUSING),
  },
})

const toCompactOperation = (): JsonObject => ({
  operationId: 'compactResponse',
  summary: 'Reduces a conversation to one item, which replaces it in the input of the next request.',
  requestBody: { required: true, content: inJson(ref('Request')) },
  responses: {
    '200': {
      description: 'The compacted conversation.',
      headers: EVERY_ANSWER,
      content: inJson(ref('Compaction')),
    },
    ...toRefusals(REFUSING),
  },
})

const toCountOperation = (): JsonObject => ({
  operationId: 'countInputTokens',
  summary: 'Returns the input tokens of a request, counted by the upstream or estimated.',
  requestBody: { required: true, content: inJson(ref('Request')) },
  responses: {
    '200': { description: 'The count.', headers: EVERY_COUNT, content: inJson(ref('TokenCount')) },
    ...toRefusals(REFUSING),
  },
})

/** Clients of every client API may read the models with any of their keys, in their own format. */
function toModelsOperation(statuses: readonly string[], answer: string, own: JsonObject): JsonObject {
  const refusals = toRefusals(REFUSING)
  const content = inJson({ anyOf: [ref('Error'), ...familyErrors()] })
  return {
    ...own,
    security: [{ key: [] }, ...Object.keys(familySecurity()).map((name) => ({ [name]: [] }))],
    responses: {
      '200': {
        description:
          'In the format of Anthropic or Gemini if the request has their headers or their key header, else in the format of OpenAI.',
        headers: EVERY_ANSWER,
        content: inJson(ref(answer)),
      },
      ...Object.fromEntries(
        statuses.map((status) => [status, { ...(lookup(refusals, status) as JsonObject), content }]),
      ),
    },
  }
}

const MODELS: JsonObject = {
  operationId: 'listModels',
  summary: 'Lists the models: those that the vendors list, names of rules, and recordings.',
}

const ONE_MODEL: JsonObject = {
  operationId: 'getModel',
  summary: 'Returns a model if the server has its vendor or its recording, else 404.',
  parameters: [MODEL],
}

const toListRefusal = (description: string): JsonObject => ({
  description,
  headers: EVERY_ANSWER,
  content: inJson(ref('DestinationsError')),
})

/** docs/description.md, 4.1, which names no other status. */
const toDestinationsOperation = (): JsonObject => ({
  operationId: 'listObservabilityDestinations',
  summary: 'Lists the destinations of traces. Requires a management key.',
  parameters: [
    parameter('offset', { type: ['integer', 'null'], minimum: 0, default: 0 }),
    parameter('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }),
    parameter('workspace_id', { type: 'string', format: 'uuid' }),
  ],
  responses: {
    '200': {
      description: 'One page of the list, the oldest destination first.',
      headers: EVERY_ANSWER,
      content: inJson(ref('Destinations')),
    },
    '401': toListRefusal('The management key is missing or invalid.'),
    '500': toListRefusal('An unexpected failure.'),
  },
})

/**
 * Describes a mount in OpenAPI 3.1, from the same schemas that validate its requests. `resumes`: its streams can be
 * resumed.
 */
export const toOpenApi = (mount: Mount, resumes: boolean): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'Stateless Responses API', version: VERSION, description: DESCRIPTION },
  servers: [{ url: mount.path === '' ? '/' : mount.path }],
  security: [{ key: [] }],
  paths: {
    '/responses': { post: toOperation(mount) },
    ...(resumes ? { '/responses/{id}': { get: toResumeOperation(mount) } } : {}),
    '/responses/compact': { post: toCompactOperation() },
    '/responses/input_tokens': { post: toCountOperation() },
    '/models': { get: toModelsOperation(['401', '403'], 'Models', MODELS) },
    '/models/{model}': { get: toModelsOperation(['400', '401', '403', '404'], 'Model', ONE_MODEL) },
    ...familyPaths(),
    '/observability/destinations': { get: toDestinationsOperation() },
    '/openapi.json': {
      get: {
        operationId: 'getDescription',
        summary: 'Returns this document.',
        security: [],
        responses: {
          '200': { description: 'OpenAPI 3.1', content: inJson({ type: 'object' }) },
        },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer' }, ...familySecurity() },
    schemas: {
      Request: toInputSchema(bodyOf(mount.history)) as JsonObject,
      Response: toOutputSchema(RESPONSES[mount.dialect]),
      Compaction: toOutputSchema(compaction),
      TokenCount: toOutputSchema(tokenCount),
      Error: toOutputSchema(errorBody),
      Models: toOutputSchema(modelList),
      Model: toOutputSchema(oneModel),
      Destinations: toOutputSchema(destinationList),
      DestinationsError: toOutputSchema(listErrorBody),
      ...familySchemas(),
    },
  },
})
