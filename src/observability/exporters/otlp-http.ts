import { writeMessages } from '../attributes.ts'
import type { ConfigOf, DestinationType } from '../destination-types.ts'
import { attribute, type Maybe } from '../otlp.ts'
import { encodeExportRequest } from '../otlp-protobuf.ts'
import { type Extras, toExportRequest } from '../spans.ts'
import type { Trace } from '../trace.ts'
import { basic, type Exporter, type HttpRequest, JSON_TYPE, post, under } from './http-request.ts'

/** A vendor's endpoint for OTLP over HTTP, with its headers and extra attributes. */
interface Intake extends Extras {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Set if the vendor's documents mention protobuf only. */
  readonly encoding?: 'protobuf'
}

type Kind =
  | 'arize'
  | 'braintrust'
  | 'grafana'
  | 'langfuse'
  | 'langsmith'
  | 'newrelic'
  | 'opik'
  | 'otel-collector'
  | 'sentry'
  | 'weave'

const TRACES = '/v1/traces'

/** A URL that already ends with the path of the signal is used unchanged. */
const tracesUnder = (base: string): string => (/\/v1\/traces\/?$/.test(base) ? base : under(base, TRACES))

const REGIONS: ReadonlyMap<string, string> = new Map([
  ['us', 'https://otlp.nr-data.net'],
  ['eu', 'https://otlp.eu01.nr-data.net'],
])

/** The same facts under the names of OpenInference, for receivers that do not read the OpenTelemetry conventions. */
const openInference = (trace: Trace): readonly Maybe[] => [
  attribute.text('openinference.span.kind', 'LLM'),
  attribute.text('llm.model_name', trace.responseModel ?? trace.requestModel),
  attribute.text('llm.provider', trace.vendor),
  attribute.count('llm.token_count.prompt', trace.usage?.input_tokens ?? null),
  attribute.count('llm.token_count.completion', trace.usage?.output_tokens ?? null),
  attribute.count('llm.token_count.total', trace.usage?.total_tokens ?? null),
  ...(trace.content === null
    ? []
    : [
        attribute.text('input.value', writeMessages(trace.content.input)),
        attribute.text('output.value', writeMessages(trace.content.output)),
      ]),
]

/** According to each vendor's own document. */
const INTAKES: { readonly [T in Kind]: (config: ConfigOf<T>) => Intake } = {
  arize: ({ apiKey, spaceKey, modelId, baseUrl }) => ({
    url: tracesUnder(baseUrl),
    headers: { api_key: apiKey, space_id: spaceKey },
    resource: [attribute.text('openinference.project.name', modelId), attribute.text('model_id', modelId)],
    span: openInference,
  }),
  braintrust: ({ apiKey, projectId, baseUrl }) => ({
    url: under(baseUrl, `/otel${TRACES}`),
    headers: { authorization: `Bearer ${apiKey}`, 'x-bt-parent': `project_id:${projectId}` },
  }),
  grafana: ({ apiKey, instanceId, baseUrl }) => ({
    url: under(baseUrl, `/otlp${TRACES}`),
    headers: { authorization: basic(instanceId, apiKey) },
  }),
  langfuse: ({ secretKey, publicKey, baseUrl }) => ({
    url: under(baseUrl, `/api/public/otel${TRACES}`),
    headers: { authorization: basic(publicKey, secretKey), 'x-langfuse-ingestion-version': '4' },
  }),
  langsmith: ({ apiKey, endpoint, project, workspaceId }) => ({
    url: under(endpoint, `/otel${TRACES}`),
    headers: {
      'x-api-key': apiKey,
      'langsmith-project': project,
      ...(workspaceId === undefined ? {} : { 'x-tenant-id': workspaceId }),
    },
    span: () => [attribute.text('langsmith.span.kind', 'llm')],
    encoding: 'protobuf',
  }),
  newrelic: ({ licenseKey, region }) => ({
    url: `${REGIONS.get(region) ?? REGIONS.get('us')}${TRACES}`,
    headers: { 'api-key': licenseKey },
  }),
  opik: ({ apiKey, workspace, projectName }) => ({
    url: `https://www.comet.com/opik/api/v1/private/otel${TRACES}`,
    headers: { authorization: apiKey, 'comet-workspace': workspace, projectname: projectName },
  }),
  'otel-collector': ({ endpoint }) => ({ url: tracesUnder(endpoint), headers: {} }),
  sentry: ({ dsn, otlpEndpoint }) => ({
    url: tracesUnder(otlpEndpoint),
    headers: { 'x-sentry-auth': `sentry sentry_key=${/^https:\/\/([^:@]+)/.exec(dsn)?.[1] ?? ''}` },
  }),
  weave: ({ apiKey, entity, project, baseUrl }) => ({
    url: under(baseUrl, `/otel${TRACES}`),
    headers: { 'wandb-api-key': apiKey },
    resource: [attribute.text('wandb.entity', entity), attribute.text('wandb.project', project)],
    encoding: 'protobuf',
  }),
}

function send(traces: readonly Trace[], { url, headers, encoding, ...extras }: Intake): readonly HttpRequest[] {
  const request = toExportRequest(traces, extras)
  return encoding === 'protobuf'
    ? post(url, { 'content-type': 'application/x-protobuf', ...headers }, encodeExportRequest(request), traces.length)
    : post(url, { ...JSON_TYPE, ...headers }, JSON.stringify(request), traces.length)
}

export const otlpExporter =
  <T extends Kind & DestinationType>(type: T): Exporter<ConfigOf<T>> =>
  (traces, config) =>
    send(traces, INTAKES[type](config))
