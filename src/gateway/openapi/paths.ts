import type { JsonObject } from '../../protocol/json.ts'
import { toInputSchema } from '../../validation/json-schema.ts'
import { WIRE_ROUTES, type WireRoutes } from '../clients/client-apis.ts'
import { FAMILIES, type Family } from './clients.ts'
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

/** The paths of the other client APIs, from the table that routes them. */

const FAMILY_ROUTES = WIRE_ROUTES.flatMap((routes) => {
  const family = FAMILIES[routes.name]
  return family === undefined ? [] : [{ family, routes }]
})

/** Replaces `*` by a parameter for the model, whose name contains a slash that may be unescaped. */
const toDescribedPath = (path: string): string => path.replace('*', '{model}')

export const MODEL: JsonObject = {
  name: 'model',
  in: 'path',
  required: true,
  description: 'Name of the model: <vendor>/<model>.',
  schema: { type: 'string' },
}

const ALT: JsonObject = {
  name: 'alt',
  in: 'query',
  description: '`sse`: server-sent events. Default: one JSON array.',
  schema: { type: 'string' },
}

const REQUEST_ID: JsonObject = {
  name: 'x-request-id',
  in: 'header',
  description: 'Id of the request, chosen by the client. Default: a new id.',
  schema: { type: 'string' },
}

const isStreaming = (path: string): boolean => /:stream\w+$/.test(path)
/** A path that ends in a method determines whether the answer streams; other requests have a field for it. */
const isMethod = (path: string): boolean => /:\w+$/.test(path)

/** The fields that every operation of a client API has. */
const toHead = ({ keyHeader, keyParameter }: WireRoutes, path: string, summary: string): JsonObject => ({
  operationId: path.match(/\w+/g)?.join('_') ?? '',
  summary,
  security: [keyHeader, keyParameter === null ? null : PARAMETER, 'key'].flatMap((name) =>
    name === null ? [] : [{ [name]: [] }],
  ),
  parameters: [...(path.includes('*') ? [MODEL] : []), ...(isStreaming(path) ? [ALT] : []), REQUEST_ID],
})

function contentOf({ name, streams }: Family, path: string): JsonObject {
  const whole = ref(name)
  const streamed = Object.entries(streams).map(([type, description]) => [
    type,
    { schema: { type: 'string', description } },
  ])
  if (isMethod(path) && !isStreaming(path)) return inJson(whole)
  return { ...inJson(isMethod(path) ? { type: 'array', items: whole } : whole), ...Object.fromEntries(streamed) }
}

const refusingOf = ({ name }: Family, { api: { errorBody, idHeader } }: WireRoutes): Refusing => ({
  schema: `${name}Error`,
  statusOf: (error) => errorBody(error, '').status,
  headers: idHeader === null ? {} : { [idHeader]: header('Equals x-request-id.') },
})

const toOperation = (family: Family, routes: WireRoutes, path: string): JsonObject => ({
  ...toHead(routes, path, family.summary),
  requestBody: { required: true, content: inJson(ref(`${family.name}Request`)) },
  responses: {
    '200': { description: 'The answer.', headers: EVERY_ANSWER, content: contentOf(family, path) },
    ...toRefusals(refusingOf(family, routes)),
  },
})

const toCountOperation = (family: Family, routes: WireRoutes, path: string): JsonObject => ({
  ...toHead(routes, path, 'Returns the input tokens of a request, counted by the upstream or estimated.'),
  requestBody: { required: true, content: inJson(ref(`${family.name}CountRequest`)) },
  responses: {
    '200': { description: 'The count.', headers: EVERY_COUNT, content: inJson(ref(`${family.name}Count`)) },
    ...toRefusals(refusingOf(family, routes)),
  },
})

const MODEL_FIELD: JsonObject = { ...MODEL, in: 'query' }

/** The paths at which a client API lists and describes models. */
function toModelPaths(family: Family, routes: WireRoutes): readonly (readonly [string, JsonObject])[] {
  const { models } = routes
  if (models === null) return []
  const refusing = refusingOf(family, routes)
  const operation = (path: string, method: string, summary: string, answer: JsonObject): JsonObject => ({
    ...toHead(routes, path, summary),
    operationId: `${method}${path.replaceAll('/', '_')}`,
    responses: {
      '200': { description: 'The answer.', headers: EVERY_ANSWER, content: inJson(answer) },
      ...toRefusals(refusing),
    },
  })
  const one = (method: string): JsonObject =>
    operation(
      models.one,
      method,
      'Returns the details of a model if the server has its vendor, else 404.',
      ref(`${family.name}Model`),
    )
  const named = { type: 'object', properties: { model: MODEL.schema ?? null }, required: ['model'] }
  return [
    [models.list, { get: operation(models.list, 'get', 'Lists the models.', ref(`${family.name}Models`)) }],
    [
      models.one,
      {
        get: { ...one('get'), parameters: [MODEL_FIELD, REQUEST_ID] },
        post: { ...one('post'), requestBody: { required: true, content: inJson(named) } },
      },
    ],
  ]
}

const toConstantPaths = ({ constants }: WireRoutes): readonly (readonly [string, JsonObject])[] =>
  Object.entries(constants).map(([path, body]) => [
    path,
    {
      get: {
        operationId: `get${path.replaceAll('/', '_')}`,
        summary: 'Returns a constant, which clients read before they send requests.',
        security: [],
        responses: { '200': { description: 'The answer.', headers: EVERY_ANSWER, content: inJson({ const: body }) } },
      },
    },
  ])

export const familyPaths = (): JsonObject =>
  Object.fromEntries(
    FAMILY_ROUTES.flatMap(({ family, routes }) => [
      ...toModelPaths(family, routes),
      ...toConstantPaths(routes),
      ...routes.paths.map((path) => [toDescribedPath(path), { post: toOperation(family, routes, path) }]),
      ...routes.countPaths.map((path) => [toDescribedPath(path), { post: toCountOperation(family, routes, path) }]),
    ]),
  )

export const familySchemas = (): JsonObject =>
  Object.fromEntries(
    FAMILY_ROUTES.flatMap(({ family: { name, request, answer, error, models, count } }) => [
      ...(models === undefined
        ? []
        : [
            [`${name}Models`, toOutputSchema(models.list)] as const,
            [`${name}Model`, toOutputSchema(models.one)] as const,
          ]),
      ...(count === undefined
        ? []
        : [
            [`${name}CountRequest`, toInputSchema(count.request)] as const,
            [`${name}Count`, toOutputSchema(count.answer)] as const,
          ]),
      [`${name}Request`, toInputSchema(request)],
      [name, toOutputSchema(answer)],
      [`${name}Error`, toOutputSchema(error)],
    ]),
  )

export const familyErrors = (): readonly JsonObject[] => FAMILY_ROUTES.map(({ family }) => ref(`${family.name}Error`))

/** The parameter itself is named `key`, but so is the security scheme of every path. */
const PARAMETER = 'keyParameter'

/** The security schemes of the client APIs, besides `Authorization`. */
export const familySecurity = (): JsonObject =>
  Object.fromEntries(
    FAMILY_ROUTES.flatMap(({ routes: { keyHeader, keyParameter } }) => [
      ...(keyHeader === null ? [] : [[keyHeader, { type: 'apiKey', in: 'header', name: keyHeader }]]),
      ...(keyParameter === null ? [] : [[PARAMETER, { type: 'apiKey', in: 'query', name: keyParameter }]]),
    ]),
  )
